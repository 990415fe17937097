import { isConflict, StatusError } from '@orrery/kinds/values'
import { type KubeClient, readJson } from '@orrery/kube/client'
import { type Execution, isTransient, persistently } from '../execution/execution.js'

/** Actions on the VirtualMachine. KubeVirt answers 202 without a body. */
export type MachineAction = 'start' | 'stop' | 'restart'
/** Actions on the VirtualMachineInstance. KubeVirt answers 200 without a body. */
export type InstanceAction = 'pause' | 'unpause'

interface Target {
  readonly namespace: string
  readonly name: string
}

/** Calls a subresource of KubeVirt once. Throws a `StatusError`. */
async function call(
  client: KubeClient,
  resource: 'virtualmachines' | 'virtualmachineinstances',
  { namespace, name }: Target,
  action: MachineAction | InstanceAction,
  body: object,
  signal: AbortSignal,
): Promise<void> {
  const response = await client.raw({
    method: 'PUT',
    path: `/apis/subresources.kubevirt.io/v1/namespaces/${namespace}/${resource}/${name}/${action}`,
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  })
  // A success has no body that could be read as JSON.
  if (response.status >= 400) await readJson(response)
  else await response.bytes()
}

export type Outcome =
  | { readonly accepted: true }
  /** KubeVirt refuses it in the present state of the machine. */
  | { readonly accepted: false; readonly refusal: string }

/**
 * Calls a subresource until KubeVirt accepts or refuses it. While its API is down, the whole group is unknown (404) or
 * unavailable (503); while a start or stop is underway, it answers 500. All of these pass.
 */
export async function perform(
  client: KubeClient,
  execution: Execution,
  target: Target,
  action: MachineAction | InstanceAction,
  body: object = {},
): Promise<Outcome> {
  const isInstance = action === 'pause' || action === 'unpause'
  const resource = isInstance ? 'virtualmachineinstances' : 'virtualmachines'
  try {
    await persistently(
      execution,
      `KubeVirt does not ${action} the machine yet`,
      () => call(client, resource, target, action, body, execution.signal),
      (error) => isTransient(error) || isGroupMissing(error),
    )
    return { accepted: true }
  } catch (error) {
    if (isConflict(error)) return { accepted: false, refusal: (error as Error).message }
    throw error
  }
}

/** The 404 of the API server for an unknown path names no object; KubeVirt's for an unknown machine does. */
function isGroupMissing(error: unknown): boolean {
  if (!(error instanceof StatusError) || error.code !== 404) return false
  return (error.status.details?.name ?? '') === '' && !/not found$/.test(error.message)
}
