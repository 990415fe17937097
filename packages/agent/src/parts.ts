import { imagePullSecrets } from './addon/image-pull-secrets.js'
import { startAddons } from './addon/start.js'
import type { AgentPart } from './context.js'
import { startDryRuns } from './dry-run/start.js'
import { DEFAULT_CALCULATORS, startScores } from './scores/start.js'
import { startKeyPublication } from './sealing/published-key.js'
import { revealWith } from './sealing/reveal.js'
import { sealingKeys, sealingSecretOf } from './sealing/sealing-secret.js'
import { KubeSource } from './work/kube-source.js'
import { startWork } from './work/start.js'

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
    const { hubInformers: informers, hubServer, clusterName, work: options } = context
    const source = new KubeSource({ informers, hubServer, clusterName })
    return startWork({ ...context, source, options, reveal: revealWith(sealingSecretOf(context), clusterName) })
  },
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
export const DEFAULT_PARTS: readonly AgentPart[] = [sealingPart, workPart, dryRunPart, addonPart, defaultScorePart]
