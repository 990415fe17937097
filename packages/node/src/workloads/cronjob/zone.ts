import { ParseError, TimeZone } from '@orrery/kinds/values'

/** A time zone of the IANA database. Local times are represented as if they were UTC. */
export class Zone {
  readonly #zone: TimeZone | undefined

  /** Throws `ParseError` if the name is not known. */
  constructor(name: string) {
    if (name === 'UTC' || name === '') return
    try {
      this.#zone = new TimeZone(name)
    } catch {
      throw new ParseError(`unknown time zone ${name}`)
    }
  }

  /** Returns the local time of a moment. */
  localTime(moment: number): Date {
    return new Date(moment + this.#offset(moment))
  }

  /** Formats a moment as local time with its UTC offset: `2030-01-31T12:00:00+01:00`. */
  format(moment: number): string {
    const offset = Math.round(this.#offset(moment) / MINUTE)
    const text = this.localTime(moment).toISOString().slice(0, 19)
    if (offset === 0) return `${text}Z`
    const two = (number: number) => String(number).padStart(2, '0')
    const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60]
    return `${text}${offset < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}`
  }

  /** Returns the first moment with a local time; undefined if the zone skips it. */
  momentOf(local: number): number | undefined {
    if (this.#zone === undefined) return local
    // The offset is that of half a day before or after, in whichever direction the clock changed in between.
    const offsets = [this.#offset(local - HALF_A_DAY), this.#offset(local + HALF_A_DAY)]
    const moments = offsets.map((offset) => local - offset).filter((moment) => moment + this.#offset(moment) === local)
    return moments.length === 0 ? undefined : Math.min(...moments)
  }

  #offset(moment: number): number {
    return this.#zone?.offset(moment) ?? 0
  }
}

const MINUTE = 60_000
const HALF_A_DAY = 43_200_000
