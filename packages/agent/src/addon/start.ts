import { addonApiVersion, addonClient } from '@orrery/addon'
import { Informers, type KubeClient, startControllers } from '@orrery/kube'
import type { AgentContext, RunningPart } from '../context.js'
import { clusterRequests } from '../registration/cluster-certificate.js'
import { Addons } from './addons.js'
import type { CredentialContext } from './credential-context.js'
import { addonCredentials } from './credential-controller.js'
import { CredentialStore } from './credential-store.js'
import { addonHealth } from './health-controller.js'
import { LeaseWatches } from './lease-watches.js'

/** Starts to keep the credentials of the add-ons of this cluster, and to report which of them are available. */
export async function startAddons(context: AgentContext): Promise<RunningPart> {
  const { hub: client, hubInformers, spoke, clusterName, clock, log, metrics, addons: options } = context
  const version = await addonApiVersion(client)
  if (version === undefined) {
    log.info('the hub does not serve ManagedClusterAddOns: no add-ons are registered')
    return { close: async () => undefined }
  }
  const informersOf = (cluster: KubeClient) => new Informers(cluster, { clock, log })
  const managed = informersOf(spoke)
  const hosting = options.hosting === spoke ? managed : informersOf(options.hosting)
  const managedStore = new CredentialStore(managed, clusterName)
  const credentials: CredentialContext = {
    clusterName,
    hubAddress: context.hubAddress,
    hubTime: context.hubTime,
    requests: clusterRequests(hubInformers, clusterName),
    certificateSeconds: context.certificateSeconds,
    options,
    managed: managedStore,
    hosting: hosting === managed ? managedStore : new CredentialStore(hosting, clusterName),
    ownSecrets: { namespace: context.agentNamespace, names: context.ownSecretNames },
  }
  const ofAddons = version === 'v1beta1' ? hubInformers : informersOf(addonClient(client))
  const addons = new Addons(ofAddons, clusterName, clock)
  const watches = new LeaseWatches({ clusterName, managed, hosting })
  const specs = [addonCredentials(credentials, addons), addonHealth(addons, watches, context.hubTime)]
  const controllers = startControllers(specs, { client, clock, log, metrics })
  return {
    async close() {
      await controllers.stop()
      await Promise.all([managed, hosting, ...(ofAddons === hubInformers ? [] : [ofAddons])].map((all) => all.close()))
    },
  }
}
