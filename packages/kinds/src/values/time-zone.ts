/** A time zone of the IANA database. */
export class TimeZone {
  readonly #format: Intl.DateTimeFormat

  /** Throws `RangeError` if the platform does not know the name. */
  constructor(name: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  }

  /** Returns the difference between local time and UTC at a moment, in milliseconds. */
  offset(moment: number): number {
    const parts = new Map(this.#format.formatToParts(moment).map(({ type, value }) => [type, value]))
    const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type))
    // There is no year 0: 1 BC is before 1 AD.
    const year = parts.get('era') === 'BC' ? 1 - part('year') : part('year')
    const local = new Date(0)
    local.setUTCFullYear(year, part('month') - 1, part('day'))
    local.setUTCHours(part('hour'), part('minute'), part('second'))
    return local.getTime() - Math.floor(moment / 1000) * 1000
  }
}
