# cpp_literal(variable result): sets `result` to a C++ expression for the text in `variable`: raw
# string literals one after the other, since compilers need not accept one beyond 65536 characters.
function(cpp_literal variable result)
  set(piece_length 60000)
  string(LENGTH "${${variable}}" length)
  set(literal "")
  set(begin 0)
  while(begin LESS length)
    string(SUBSTRING "${${variable}}" ${begin} ${piece_length} piece)
    string(APPEND literal "\n     R\"~text~(${piece})~text~\"")
    math(EXPR begin "${begin} + ${piece_length}")
  endwhile()
  set(${result} "${literal}" PARENT_SCOPE)
endfunction()
