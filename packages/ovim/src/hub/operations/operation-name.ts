import { createHash } from 'node:crypto'

/** The name of the operation with a number among those of an object. */
export function operationName(uid: string, sequence: number): string {
  return `op-${createHash('sha256').update(uid).digest('hex').slice(0, 12)}-${sequence}`
}

/** The part of the name that all operations of an object share. */
export function operationOwnerKey(name: string): string | undefined {
  return /^op-([0-9a-f]{12})-\d+$/.exec(name)?.[1]
}
