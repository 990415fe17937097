import type { IntOrString } from '@orrery/kinds'

/** Resolves an int-or-percent: a number as is, or a percentage of a total, rounded up or down. */
export function share(value: IntOrString | undefined, total: number, round: 'up' | 'down'): number {
  if (value === undefined) return 0
  if (typeof value === 'number') return value
  const percent = /^(\d+)%$/.exec(value)?.[1]
  if (percent === undefined) return 0
  const exact = (Number(percent) * total) / 100
  return round === 'up' ? Math.ceil(exact) : Math.floor(exact)
}
