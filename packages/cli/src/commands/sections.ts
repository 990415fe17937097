import type { CoreEvent } from '@orrery/kinds'
import { ageOf } from '../shared/age.js'
import { printText } from '../shared/print.js'
import { formatTable } from '../shared/table.js'

/** Prints a table under a title, below details. */
export function showSection(title: string, table: string): void {
  printText(`\n${title}:\n${table.replace(/^(?=.)/gm, '  ')}`)
}

/** Prints the events of an object, if there are any. */
export function showEvents(events: readonly CoreEvent[]): void {
  if (events.length === 0) return
  showSection(
    'Events',
    formatTable(events, [
      { title: 'type', value: ({ type }) => type },
      { title: 'reason', value: ({ reason }) => reason },
      { title: 'age', value: ({ lastTimestamp, eventTime }) => ageOf(lastTimestamp ?? eventTime) },
      { title: 'message', value: ({ message }) => message },
    ]),
  )
}
