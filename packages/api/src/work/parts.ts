import { isLabelValue } from '@orrery/kinds/values'
import { PART_OF_LABEL } from './names.js'
import { sha256Hex } from './sha256.js'

/** The name of a part of a work. The first part has the name of the whole. */
export function partName(work: string, number: number): string {
  return number === 1 ? work : `${work}-${number}`
}

/** The number of the part with this name; undefined if it is not a part of the work. */
export function partNumber(work: string, name: string): number | undefined {
  if (name === work) return 1
  const suffix = name.startsWith(`${work}-`) ? name.slice(work.length + 1) : ''
  return /^([2-9]|[1-9][0-9]{1,5})$/.test(suffix) ? Number(suffix) : undefined
}

const KEPT_LENGTH = 46

/** The value of PART_OF_LABEL for the parts of a work: its name, shortened with a digest if it is too long. */
export function partOfValue(work: string): string {
  if (isLabelValue(work).length === 0) return work
  const digest = sha256Hex(work).slice(0, 16)
  return `${work.slice(0, KEPT_LENGTH)}-${digest}`
}

/** The label selector of the parts of a split work. */
export function partsSelector(work: string): string {
  return `${PART_OF_LABEL}=${partOfValue(work)}`
}
