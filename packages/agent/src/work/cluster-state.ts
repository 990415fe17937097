import { ConfigMap } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import type { SourceState } from './source.js'

const NAME = 'work-source-state'

/** Keeps the values of sources in a ConfigMap in the namespace of the agent. */
export function clusterState(spoke: KubeClient, namespace: string): SourceState {
  const metadata = { namespace, name: NAME }
  return {
    async read() {
      return (await spoke.find(ConfigMap, metadata))?.data ?? {}
    },
    async write(key, value) {
      // Each key has a field manager of its own: a write keeps the keys of others.
      await spoke.apply(ConfigMap, { metadata, data: { [key]: value } }, { fieldManager: `work-source-${key}` })
    },
  }
}
