/**
 * A key's hash tag, which decides its slot in Redis Cluster: the text between the first brace and the next closing one.
 * Undefined without one; then the whole key decides.
 */
export function hashTagOf(key: string): string | undefined {
  const start = key.indexOf("{") + 1;
  const end = start === 0 ? -1 : key.indexOf("}", start);
  return end <= start ? undefined : key.slice(start, end);
}
