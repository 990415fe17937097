import { parseQuantity, quantityToNumber } from '@orrery/kinds/values'

const UNITS = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi']

/** A number of cores for people: `1.5` for `1500m`. */
export function coresText(quantity: number | string | undefined): string | undefined {
  return quantity === undefined ? undefined : rounded(numberOf(quantity))
}

/** A number of bytes for people: `4Gi` for `4294967296`. */
export function bytesText(quantity: number | string | undefined): string | undefined {
  if (quantity === undefined) return undefined
  let value = numberOf(quantity)
  let unit = 0
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024
    unit++
  }
  return `${rounded(value)}${UNITS[unit]}`
}

function numberOf(quantity: number | string): number {
  return quantityToNumber(parseQuantity(String(quantity)))
}

function rounded(value: number): string {
  return String(Math.round(value * 10) / 10)
}
