import { beginDetaching, whenDetached } from '@orrery/hub/operations'
import type { KubeClient } from '@orrery/kube'
import { plainText } from '../shared/table.js'
import { withPatience } from './patience.js'

/** Detaches a cluster and waits until it is gone, telling what is in the way. False when the hub does not know it. */
export async function detach(client: KubeClient, name: string, waitSeconds: number): Promise<boolean> {
  if (!(await beginDetaching(client, name))) return false
  let remains = 'its agent may be stopped'
  await withPatience(
    waitSeconds,
    () =>
      `cluster ${name} is still there: ${plainText(remains)}\n` +
      `\`orrery get works --clusters ${name}\` says what its works wait for. It is still being detached.`,
    (signal) =>
      whenDetached(client, name, {
        signal,
        onRemains(message) {
          remains = message
          process.stderr.write(`${name}: ${plainText(message)}\n`)
        },
      }),
  )
  process.stdout.write(`${name} is detached\n`)
  return true
}
