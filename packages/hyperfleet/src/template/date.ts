const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

/** Longer forms first: `January` before `Jan`, `2006` before `2`. */
const FORMS =
  /January|Jan|Monday|Mon|MST|2006|Z07:00|Z0700|-07:00|-0700|-07|[.,]0{1,9}(?!\d)|[.,]9{1,9}(?!\d)|01|02|03|04|05|06|15|PM|pm|_2|1|2|3|4|5/g

const padded = (value: number, length = 2) => String(value).padStart(length, '0')

/** Formats a time in UTC by a layout of Go: the form of `Mon Jan 2 15:04:05 MST 2006`. */
export function formatDate(layout: string, time: Date): string {
  return layout.replace(FORMS, (form) => formatted(form, time))
}

function formatted(form: string, time: Date): string {
  if (form.startsWith('.') || form.startsWith(',')) return fraction(form, time)
  const hour = time.getUTCHours()
  const month = MONTHS[time.getUTCMonth()] ?? ''
  const day = DAYS[time.getUTCDay()] ?? ''
  const twelve = hour % 12 === 0 ? 12 : hour % 12
  const values: Readonly<Record<string, string>> = {
    January: month,
    Jan: month.slice(0, 3),
    Monday: day,
    Mon: day.slice(0, 3),
    MST: 'UTC',
    '2006': padded(time.getUTCFullYear(), 4),
    '06': padded(time.getUTCFullYear() % 100),
    '01': padded(time.getUTCMonth() + 1),
    '1': String(time.getUTCMonth() + 1),
    '02': padded(time.getUTCDate()),
    _2: String(time.getUTCDate()).padStart(2),
    '2': String(time.getUTCDate()),
    '15': padded(hour),
    '03': padded(twelve),
    '3': String(twelve),
    '04': padded(time.getUTCMinutes()),
    '4': String(time.getUTCMinutes()),
    '05': padded(time.getUTCSeconds()),
    '5': String(time.getUTCSeconds()),
    PM: hour < 12 ? 'AM' : 'PM',
    pm: hour < 12 ? 'am' : 'pm',
    'Z07:00': 'Z',
    Z0700: 'Z',
    '-07:00': '+00:00',
    '-0700': '+0000',
    '-07': '+00',
  }
  return values[form] ?? form
}

/** Zeros keep their number of digits; nines drop trailing zeros. */
function fraction(form: string, time: Date): string {
  const digits = `${padded(time.getUTCMilliseconds(), 3)}000000`.slice(0, form.length - 1)
  if (form[1] === '0') return `${form[0]}${digits}`
  const short = digits.replace(/0+$/, '')
  return short === '' ? '' : `${form[0]}${short}`
}
