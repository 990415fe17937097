import { CelCostExceeded } from '../values/value.js'

/** No expression within its budget needs more, and no request could contain it. */
const MAX_TEXT = 16 * 1024 * 1024

/** Rejects a string that would exceed the memory before it is created: costs are only counted afterwards. */
export function checkTextSize(length: number): void {
  if (length > MAX_TEXT) throw new CelCostExceeded()
}

/** Whether offsets in a text are the same in code points and in UTF-16. */
export function isBasic(text: string): boolean {
  return !/[\ud800-\udfff]/.test(text)
}
