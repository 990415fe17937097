import { type Explanation, explanationText, type FollowOptions } from '@orrery/ovim/client'
import { note, print } from '../shared/print.js'
import { plainText } from '../shared/table.js'
import { type Wait, withTimeout } from './wait.js'

/**
 * Waits for an object, such as `vm demo/web`, and prints each step on standard error and the end on standard output. Fails with the
 * reason if the object will not be as requested, or is not in time.
 */
export async function waitUntilSettled(
  what: string,
  wait: Wait,
  follow: (options: FollowOptions) => Promise<Explanation>,
): Promise<void> {
  let last: Explanation = { state: 'in-progress', text: 'is not handled yet' }
  const onChange = (explanation: Explanation) => {
    last = explanation
    if (explanation.state !== 'as-requested') note(`${what} ${explanation.text}`)
  }
  const end = await withTimeout(
    wait,
    (limit) => `${what} is not as requested after ${limit}: ${plainText(explanationText(last))}`,
    (signal) => follow({ signal, onChange }),
  )
  if (end.state !== 'as-requested') throw new Error(`${what}: ${plainText(explanationText(end))}`)
  print(`${what} ${explanationText(end)}`)
}
