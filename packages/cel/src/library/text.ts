import { CelCostExceeded } from '../values/value.js'

/** No expression within its budget needs more, and no request could carry it. */
const MAX_TEXT = 16 * 1024 * 1024

/** Refuses to make a text that would not fit in memory, before it is made: costs are only counted afterwards. */
export function checkTextSize(length: number): void {
  if (length > MAX_TEXT) throw new CelCostExceeded()
}

/** Whether offsets into a text are the same in code points as in UTF-16. */
export function isBasic(text: string): boolean {
  return !/[\ud800-\udfff]/.test(text)
}
