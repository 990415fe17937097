import { imagePullSecrets } from './addon/image-pull-secrets.js'
import { startAddons } from './addon/start.js'
import type { AgentContext, AgentPart } from './context.js'
import { startDryRuns } from './dry-run/start.js'
import { DEFAULT_CALCULATORS, startScores } from './scores/start.js'
import { startKeyPublication } from './sealing/published-key.js'
import { revealWith } from './sealing/reveal.js'
import { sealingKeys, sealingSecretOf } from './sealing/sealing-secret.js'
import { clusterState } from './work/cluster-state.js'
import { KubeSource } from './work/kube-source.js'
import type { OpenSource, WorkSource } from './work/source.js'
import { startWork, type WorkAgent } from './work/start.js'

/** Keeps the keys that manifests for this cluster are sealed with, and publishes the public key on the hub. */
export const sealingPart: AgentPart = {
  name: 'sealing',
  controllers: (context) => [sealingKeys(sealingSecretOf(context))],
  start: async (context) => startKeyPublication(context, sealingSecretOf(context)),
}

/** Applies the ManifestWorks in the API of the hub. */
export const workPart: AgentPart = {
  name: 'work',
  start: (context) => {
    const { hubInformers: informers, hubServer, clusterName } = context
    return startWorkPart(context, new KubeSource({ informers, hubServer, clusterName }))
  },
}

/**
 * Applies ManifestWorks of another source than the API of the hub. It replaces `workPart` in the list of parts, or is
 * added with a name of its own.
 */
export function workPartOf(openSource: OpenSource, name = workPart.name): AgentPart {
  return {
    name,
    async start({ agentId, ...context }) {
      const state = clusterState(context.spoke, context.agentNamespace)
      const source = await openSource({ ...context, state })
      // An additional work agent is identified by its source.
      const isOnly = name === workPart.name && agentId !== undefined
      const agent = await startWorkPart({ ...context, ...(isOnly && { agentId }) }, source)
      return {
        async close() {
          await agent.close()
          await source.close()
        },
      }
    },
  }
}

function startWorkPart(context: AgentContext, source: WorkSource): Promise<WorkAgent> {
  const reveal = revealWith(sealingSecretOf(context), context.clusterName)
  return startWork({ ...context, source, options: context.work, reveal })
}

/** Answers the ManifestWorkDryRuns of the hub. */
export const dryRunPart: AgentPart = {
  name: 'dry-run',
  start: (context) => startDryRuns({ ...context, reveal: revealWith(sealingSecretOf(context), context.clusterName) }),
}

/** Writes the scores of the gate ClusterScores. */
export const defaultScorePart: AgentPart = {
  name: 'scores',
  start: async (context) =>
    context.features.ClusterScores ? startScores(context, DEFAULT_CALCULATORS) : { close: async () => undefined },
}

/** Keeps the credentials of the cluster's add-ons, reports which of them are available, and copies the image pull secret. */
export const addonPart: AgentPart = {
  name: 'addons',
  controllers: (context) => [imagePullSecrets(context)],
  start: startAddons,
}

/** The parts of an agent unless its options list others. */
export const DEFAULT_PARTS: readonly AgentPart[] = partsWith(workPart)

/** The default parts, with another one that applies works. */
export function partsWith(works: AgentPart): readonly AgentPart[] {
  return [sealingPart, works, dryRunPart, addonPart, defaultScorePart]
}
