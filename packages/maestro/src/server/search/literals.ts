import type { Token } from './tokens.js'

const UNITS = ['', 'K', 'M', 'G', 'T', 'P']

/** The value of a string or a number, undefined for other tokens. Numbers may end in `K`, `Ki` and so on. */
export function literalOf({ kind, text }: Token): string | number | undefined {
  if (kind === 'string') return text
  if (kind !== 'number') return undefined
  const [, digits = text, unit = '', binary] = /^(.*?)([KMGTP])(i?)$/i.exec(text) ?? []
  const power = UNITS.indexOf(unit.toUpperCase())
  return Number(digits) * (binary === undefined || binary === '' ? 1000 : 1024) ** power
}
