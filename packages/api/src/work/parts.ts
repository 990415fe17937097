import { createHash } from 'node:crypto'
import { isLabelValue } from '@orrery/kube'
import { PART_OF_LABEL } from './names.js'

/** The name of a part of a work: the first has the name of the whole. */
export function partName(work: string, number: number): string {
  return number === 1 ? work : `${work}-${number}`
}

/** Which part of a work something of this name is; undefined when it is none. */
export function partNumber(work: string, name: string): number | undefined {
  if (name === work) return 1
  const suffix = name.startsWith(`${work}-`) ? name.slice(work.length + 1) : ''
  return /^([2-9]|[1-9][0-9]{1,5})$/.test(suffix) ? Number(suffix) : undefined
}

const KEPT_LENGTH = 46

/** The value of PART_OF_LABEL for the parts of a work: its name, or what of it fits and a digest of the rest. */
export function partOfValue(work: string): string {
  if (isLabelValue(work).length === 0) return work
  const digest = createHash('sha256').update(work).digest('hex').slice(0, 16)
  return `${work.slice(0, KEPT_LENGTH)}-${digest}`
}

/** Selects the parts of a work, when there are several. */
export function partsSelector(work: string): string {
  return `${PART_OF_LABEL}=${partOfValue(work)}`
}
