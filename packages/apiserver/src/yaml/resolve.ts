/** The words of YAML 1.1 that Go's parser knows. */
const WORDS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
])

const NOT_JSON = /^[-+]?\.(?:inf|Inf|INF|nan|NaN|NAN)$/
const DECIMAL = /^[-+]?(?:0|[1-9]\d*)$/
const PREFIXED = /^([-+]?)(0x[\da-fA-F]+|0o?[0-7]+|0b[01]+)$/
const FLOAT = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/
/** The maximum length of a number; longer text is a string. */
const MAX_NUMBER_LENGTH = 400

/**
 * Returns the number of a plain scalar; undefined if it is a string. `exact` is false for integers that a double cannot
 * represent.
 */
export function readNumber(text: string): { value: number; exact: boolean } | undefined {
  const first = text.charCodeAt(0)
  if (!(first >= 0x2b && first <= 0x39) || text.length > MAX_NUMBER_LENGTH) return undefined
  const plain = text.includes('_') ? text.replaceAll('_', '') : text
  if (DECIMAL.test(plain)) return finite(integer(plain))
  const prefixed = PREFIXED.exec(plain)
  if (prefixed !== null) {
    const [, sign = '', digits = ''] = prefixed
    const { value, exact } = integer(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits)
    return finite({ value: sign === '-' ? -value : value, exact })
  }
  if (!FLOAT.test(plain)) return undefined
  return finite({ value: Number(plain), exact: true })
}

/** A number that a double cannot represent is a string. */
function finite(number: { value: number; exact: boolean }): { value: number; exact: boolean } | undefined {
  return Number.isFinite(number.value) ? number : undefined
}

function integer(digits: string): { value: number; exact: boolean } {
  const value = Number(digits)
  if (!Number.isFinite(value)) return { value, exact: false }
  return { value, exact: Number.isSafeInteger(value) || BigInt(value) === BigInt(digits.replace(/^\+/, '')) }
}

/** Returns the boolean or null of a plain scalar; undefined if it is something else. */
export function readWord(text: string): boolean | null | undefined {
  return text.length <= 5 ? WORDS.get(text) : undefined
}

/** Returns whether a scalar is infinite or NaN, which JSON cannot represent. */
export function isNotJson(text: string): boolean {
  return text.length <= 5 && NOT_JSON.test(text)
}
