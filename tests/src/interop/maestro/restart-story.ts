import { ConfigMap } from '@orrery/kinds'
import { isConditionTrue } from '@orrery/kinds/values'
import { eventually } from '@orrery/kube/testing'
import type { Fleet } from './work-story.js'

const NAME = 'survivor'
const ref = { namespace: 'default', name: NAME }
/** Open Cluster Management's agent waits for up to a minute until it connects again. */
const TIMEOUT = { timeoutMilliseconds: 150_000 }

const manifest = (colour: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: ref,
  data: { colour },
})

/** A work that changes while the agent has no connection. `interrupt` ends it and starts what was ended again. */
export async function runInterruption(
  fleet: Fleet,
  interrupt: (change: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const { source, consumer, spoke, log } = fleet
  await source.create({
    metadata: { name: NAME, namespace: consumer },
    spec: { workload: { manifests: [manifest('blue')] } },
  })
  await hasColour(fleet, 'blue', 1)
  const patch = { spec: { workload: { manifests: [manifest('green')] } } }
  // The source may have lost its own connection.
  const isPatched = () => source.patch(NAME, patch).then(() => true, isNotConnected)
  await interrupt(() => eventually('the source publishes again', isPatched, TIMEOUT))
  await hasColour(fleet, 'green', 2)
  await source.delete(NAME)
  await eventually(
    'it is gone',
    async () =>
      (await source.get(NAME).then(() => false, source.isNotFound)) && (await spoke.find(ConfigMap, ref)) === undefined,
    { ...TIMEOUT, seen: log },
  )
}

function isNotConnected(error: unknown): false {
  if (!/not ready|connection refused|Unavailable/i.test((error as Error).message)) throw error
  return false
}

async function hasColour({ source, spoke, log }: Fleet, colour: string, generation: number): Promise<void> {
  await eventually(
    `the ConfigMap is ${colour}, and the source knows`,
    async () => {
      if ((await spoke.find(ConfigMap, ref))?.data?.colour !== colour) return false
      const conditions = (await source.get(NAME)).status?.conditions
      return (
        isConditionTrue(conditions, 'Applied') &&
        conditions?.every(({ observedGeneration }) => observedGeneration === generation) === true
      )
    },
    { ...TIMEOUT, seen: log },
  )
}
