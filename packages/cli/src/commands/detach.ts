import { beginDetaching, whenDetached } from '@orrery/hub/operations'
import type { KubeClient } from '@orrery/kube'
import { note, print } from '../shared/print.js'
import { plainText } from '../shared/table.js'
import { withTimeout } from './wait.js'

/** Detaches a cluster, waits until it is deleted and prints what blocks it. False if the hub has no such cluster. */
export async function detach(client: KubeClient, name: string, waitSeconds: number): Promise<boolean> {
  if (!(await beginDetaching(client, name))) return false
  let remains = 'its agent may be stopped'
  await withTimeout(
    waitSeconds,
    (limit) =>
      `cluster ${name} was not detached within ${limit}: ${plainText(remains)}\n` +
      `The hub continues to detach it. Run \`orrery get works --clusters ${name}\` to see what blocks its works.`,
    (signal) =>
      whenDetached(client, name, {
        signal,
        onRemains(message) {
          remains = message
          note(`${name}: ${message}`)
        },
      }),
  )
  print(`cluster ${name} detached`)
  return true
}
