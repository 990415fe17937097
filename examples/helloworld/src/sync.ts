import { type AddonAgentContext, readOwnAddon } from '@orrery/addon/agent'
import { ConfigMap } from '@orrery/kinds'
import { type ControllerSpec, each, ensure, isBeingDeleted } from '@orrery/kube'
import { SYNCED_LABEL } from './names.js'

/** Every namespace has its own of these. */
const OWN_OF_EACH_NAMESPACE = ['kube-root-ca.crt', 'openshift-service-ca.crt']

/** Label of ConfigMaps in which add-ons report to the hub. */
const REPORT_LABEL = 'open-cluster-management.io/addon-name'

/** Copies the ConfigMaps of the cluster's namespace on the hub to the namespace of the agent, and deletes copies without an original. */
export function configMapSync(agent: AddonAgentContext): ControllerSpec {
  const { addonNamespace, clusterName, hubInformers, managedInformers, owner } = agent
  const originals = hubInformers.of(ConfigMap, { namespace: clusterName })
  const copies = managedInformers.of(ConfigMap, { namespace: addonNamespace })
  return {
    name: 'configmap-sync',
    wakes: [
      each(originals, ({ metadata }) => ({ namespace: addonNamespace, name: metadata.name })),
      each(copies, undefined, { when: ({ before, after }) => isCopy(before) || isCopy(after) }),
    ],
    async reconcile({ name }, { client, log, signal }) {
      const ref = { namespace: addonNamespace, name }
      const original = originals.get({ namespace: clusterName, name })
      const current = copies.get(ref)
      const isWanted = original !== undefined && isCopied(original)
      if (!isWanted) {
        if (isCopy(current)) await client.ensureDeleted(ConfigMap, ref, { signal })
        return
      }
      if (current !== undefined && !isCopy(current)) {
        log.warn('a ConfigMap of this name exists on the managed cluster and is not a copy: it is not replaced', ref)
        return
      }
      const { data = {}, binaryData = {} } = original
      const metadata = {
        ...ref,
        labels: { [SYNCED_LABEL]: '' },
        // The copies are deleted with the agent.
        ...(owner !== undefined && { ownerReferences: [owner] }),
      }
      // While the add-on is being deleted, the copies are too.
      if (current === undefined && isBeingDeleted(await readOwnAddon(agent))) return
      await ensure(client, ConfigMap, { metadata, data, binaryData }, current, { signal })
    },
  }
}

function isCopied({ metadata: { name, labels = {} } }: ConfigMap): boolean {
  return (
    !OWN_OF_EACH_NAMESPACE.includes(name) &&
    !Object.hasOwn(labels, REPORT_LABEL) &&
    !Object.hasOwn(labels, SYNCED_LABEL)
  )
}

function isCopy(configMap: ConfigMap | undefined): boolean {
  return Object.hasOwn(configMap?.metadata.labels ?? {}, SYNCED_LABEL)
}
