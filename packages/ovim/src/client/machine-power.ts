import { formatTime } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { VirtualMachineRequest } from '../kinds/virtual-machine-request.js'
import { getMachine } from './machines.js'

export const POWER_ACTIONS = ['start', 'stop', 'restart', 'pause', 'unpause'] as const

export type PowerAction = (typeof POWER_ACTIONS)[number]

/** The specification that an action asks for, or why it is not possible. */
export function powerChange(
  { spec, metadata }: VirtualMachineRequest,
  action: PowerAction,
  now: Date,
): { readonly powerState: 'Running' | 'Stopped' | 'Paused'; readonly restartedAt?: string } {
  const { powerState } = spec
  const { name } = metadata
  const isStopped = powerState === 'Stopped'
  if (isStopped && (action === 'restart' || action === 'pause' || action === 'unpause')) {
    throw new Error(`virtual machine ${name} is stopped: start it with \`orrery vm start ${name}\``)
  }
  switch (action) {
    case 'stop':
      return { powerState: 'Stopped' }
    case 'pause':
      return { powerState: 'Paused' }
    case 'restart':
      return { powerState: 'Running', restartedAt: laterThan(spec.restartedAt, now) }
    default:
      return { powerState: 'Running' }
  }
}

/** Times have seconds: a second restart within one second needs another time. */
function laterThan(before: string | undefined, now: Date): string {
  const last = Date.parse(before ?? '')
  return formatTime(Number.isNaN(last) || now.getTime() >= last + 1_000 ? now : new Date(last + 1_000))
}

/** Asks for an action. `isChanged` is false if the virtual machine is in that power state already, or on its way. */
export async function changePower(
  client: KubeClient,
  organization: string,
  name: string,
  { action, now }: { readonly action: PowerAction; readonly now: Date },
): Promise<{ readonly request: VirtualMachineRequest; readonly isChanged: boolean }> {
  const before = await getMachine(client, organization, name)
  if (before.metadata.deletionTimestamp !== undefined) throw new Error(`virtual machine ${name} is being deleted`)
  const spec = powerChange(before, action, now)
  const request = await client.patch(VirtualMachineRequest, before.metadata, { spec })
  return { request, isChanged: request.metadata.generation !== before.metadata.generation }
}
