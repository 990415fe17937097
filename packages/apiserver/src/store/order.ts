/**
 * Compares by UTF-8 bytes, which is the order of lists in Kubernetes. The `<` of JavaScript compares UTF-16 units and
 * sorts characters above U+FFFF before those from U+E000 on.
 */
export function compareBytewise(a: string, b: string): number {
  if (a === b) return 0
  const shorter = Math.min(a.length, b.length)
  for (let i = 0; i < shorter; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1
  }
  return a.length - b.length
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff
}
