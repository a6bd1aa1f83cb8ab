// What is said about a series of measurements.

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export const least = (values) => Math.min(...values);

export const summary = (values) => ({ median: median(values), min: Math.min(...values), max: Math.max(...values), runs: values.length });
