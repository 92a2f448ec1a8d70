// Numbers as people read them. A number that is not there is an en dash.
const NOT_THERE = "–";

function isNumber(value) {
  return typeof value === "number" && Number.isFinite(value);
}

/// 1484.528, 1 -> "1,484.5"
function number(value, digits = 1) {
  if (!isNumber(value)) return NOT_THERE;
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/// 0.0247 -> "2.5 %"
function percent(ratio, digits = 1) {
  return isNumber(ratio) ? `${number(ratio * 100, digits)} %` : NOT_THERE;
}

/// -0.0247 -> "−2.5 %", with a sign also where it is positive.
function signedPercent(ratio, digits = 1) {
  if (!isNumber(ratio)) return NOT_THERE;
  return `${ratio < 0 ? "−" : "+"}${percent(Math.abs(ratio), digits)}`;
}

/// 2.2094 -> "2.21×"
function times(ratio) {
  return isNumber(ratio) ? `${number(ratio, 2)}×` : NOT_THERE;
}

/// 0.00029 -> "2.9e-4"
function scientific(value) {
  return isNumber(value) ? value.toExponential(1) : NOT_THERE;
}

/// 8192 -> "8k", 1000 -> "1,000"
function tokens(count) {
  return count % 1024 === 0 ? `${number(count / 1024, 0)}k` : number(count, 0);
}

/// Half the width of a 95 % interval over its middle, with its sign: "±0.1 %".
function halfWidth(interval) {
  if (!interval) return "";
  const middle = (interval.upper + interval.lower) / 2;
  return middle > 0 ? `±${percent((interval.upper - interval.lower) / 2 / middle)}` : "";
}

/// 4.478e12 -> "4.48 TB/s"
function bytesPerSecond(value) {
  return isNumber(value) ? `${number(value / 1e12, 2)} TB/s` : NOT_THERE;
}

/// "softmax_exposed" -> "softmax exposed"
function words(name) {
  return name.replaceAll("_", " ");
}

/// "2026-11-30T14:40:24Z" -> "2026-11-30 14:40 UTC"
function dateText(iso) {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(iso);
  return match ? `${match[1]} ${match[2]} UTC` : iso;
}

/// The power of `base` below (Math.floor) or above (Math.ceil) a value.
function power(base, value, round) {
  return base ** round(Math.log(value) / Math.log(base));
}

function median(values) {
  if (values.length === 0) return undefined;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
