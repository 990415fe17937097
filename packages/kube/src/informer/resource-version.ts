const NUMBER = /^[1-9]\d*$/

/** Whether one resource version is older than another: they are numbers of any length. Others are not comparable. */
export function isOlder(one: string, other: string): boolean {
  if (one === other || !NUMBER.test(one) || !NUMBER.test(other)) return false
  return one.length === other.length ? one < other : one.length < other.length
}
