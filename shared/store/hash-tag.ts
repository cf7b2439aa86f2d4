/**
 * What decides where a key lies in Redis Cluster: the text between the first brace and the next one that closes. Undefined where there is
 * none; then it is the whole key.
 */
export function hashTagOf(key: string): string | undefined {
  const start = key.indexOf("{") + 1;
  const end = start === 0 ? -1 : key.indexOf("}", start);
  return end <= start ? undefined : key.slice(start, end);
}
