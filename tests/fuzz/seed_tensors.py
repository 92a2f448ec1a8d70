"""Small sound tensor files to fuzz from: seed_tensors.py npy|safetensors FOLDER."""

import json
import pathlib
import struct
import sys

SHAPES = [(2, 4), (2, 3, 4), (1, 2, 3, 4)]
NPY_TYPES = {"<f2": 2, "<f4": 4, "<f8": 8}
SAFETENSORS_TYPES = {"F16": 2, "BF16": 2, "F32": 4, "F64": 8}


def elements(shape):
    count = 1
    for size in shape:
        count *= size
    return count


def npy(descr, shape, major):
    """https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html"""
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    length = struct.pack("<H" if major == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([major, 0]) + length + header + bytes(elements(shape) * NPY_TYPES[descr])


def safetensors(dtype, shape):
    """https://github.com/huggingface/safetensors#format"""
    size = elements(shape) * SAFETENSORS_TYPES[dtype]
    header = {"__metadata__": {"format": "pt"}}
    for index, name in enumerate("qkv"):
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [index * size, (index + 1) * size]}
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(3 * size)


def main(kind, folder):
    for shape in SHAPES:
        rank = len(shape)
        for index, dtype in enumerate(NPY_TYPES if kind == "npy" else SAFETENSORS_TYPES):
            content = npy(dtype, shape, index + 1) if kind == "npy" else safetensors(dtype, shape)
            name = f"{dtype.strip('<')}_{rank}.{kind}"
            (pathlib.Path(folder) / name).write_bytes(content)


main(*sys.argv[1:])
