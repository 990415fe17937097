const PERCENTAGE = /^([0-9]+)%$/
const COUNT = /^[0-9]+$/

/** The clusters that a number or a percentage of `total` stands for, `total` at most. A fraction of a cluster counts as one. */
export function shareOf(value: number | string, total: number): number {
  const count = typeof value === 'number' ? value : countOf(value, total)
  return Math.min(Math.max(Math.trunc(count), 0), total)
}

function countOf(text: string, total: number): number {
  const percentage = PERCENTAGE.exec(text)?.[1]
  if (percentage !== undefined) return Math.ceil((Number(percentage) * total) / 100)
  if (COUNT.test(text)) return Number(text)
  throw new RangeError(`${JSON.stringify(text)} is neither a number nor a percentage`)
}
