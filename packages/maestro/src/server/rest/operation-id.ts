import { randomBytes } from 'node:crypto'

/** KSUIDs count seconds from here. */
const EPOCH_SECONDS = 1_400_000_000
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const LENGTH = 27
const GIVEN = /^[\x21-\x7e]{1,128}$/

/** The `X-Operation-ID` of a request, or a new one. It is in errors and in the log, so that one finds the other. */
export function operationId(given: string | string[] | undefined): string {
  return typeof given === 'string' && GIVEN.test(given) ? given : ksuid(new Date(), randomBytes(16))
}

/** A K-sortable unique id: a time and random bits, in base 62. */
function ksuid(time: Date, random: Buffer): string {
  const seconds = Math.floor(time.getTime() / 1000) - EPOCH_SECONDS
  let value = (BigInt(seconds) << 128n) | BigInt(`0x${random.toString('hex')}`)
  let text = ''
  for (let index = 0; index < LENGTH; index++) {
    text = (DIGITS[Number(value % 62n)] as string) + text
    value /= 62n
  }
  return text
}
