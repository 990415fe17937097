import { ADDON_NAME_LABEL, CLUSTER_NAME_LABEL, type ManagedCluster, type ManagedClusterAddOn } from '@orrery/api'
import { CertificateSigningRequest } from '@orrery/kinds'
import { jsonEqual } from '@orrery/kinds/values'
import { each, type Informer } from '@orrery/kube'
import { anyOf, type Predicate, type Wake } from '@orrery/kube/controller'
import { refOfObject } from '@orrery/kube/write'
import type { AgentAddon, RegistrationOptions, RegistrationRequest } from '../agent-addon.js'
import type { AddonManagerContext } from '../manager/context.js'
import { acceptanceChanged, isAccepted } from './acceptance.js'

const BY_ADDON = 'certificateRequestsByAddon'

/** The certificate requests of the agents of all add-ons, with an index by add-on. */
export function addonRequests({ informers, labelSelector }: AddonManagerContext): Informer<CertificateSigningRequest> {
  const requests = informers.of(CertificateSigningRequest, { labelSelector })
  requests.addIndex(BY_ADDON, byAddon)
  return requests
}

function byAddon(request: CertificateSigningRequest): string[] {
  const ref = addonOf(request)
  return ref === undefined ? [] : [`${ref.namespace}/${ref.name}`]
}

/** The ManagedClusterAddOn that a certificate request names in its labels. */
function addonOf({
  metadata: { labels = {} },
}: CertificateSigningRequest): { readonly namespace: string; readonly name: string } | undefined {
  const { [ADDON_NAME_LABEL]: name = '', [CLUSTER_NAME_LABEL]: namespace = '' } = labels
  return name === '' || namespace === '' ? undefined : { namespace, name }
}

/** The certificate requests of the add-on and the cluster of a request. */
export function requestsOfSameAddon(
  requests: Informer<CertificateSigningRequest>,
  request: CertificateSigningRequest,
): readonly CertificateSigningRequest[] {
  return byAddon(request).flatMap((key) => requests.byIndex(BY_ADDON, key))
}

/** A certificate request with what its decision needs. */
export interface AddonRequest extends RegistrationRequest {
  readonly agent: AgentAddon
  readonly registration: RegistrationOptions
}

/**
 * The cluster, the add-on and the registration of a certificate request; undefined if one of them does not exist, or the hub does not
 * accept the cluster.
 */
export function addonRequest(
  { addons, agents, clusters }: AddonManagerContext,
  request: CertificateSigningRequest,
): AddonRequest | undefined {
  const ref = addonOf(request)
  const agent = ref && agents.get(ref.name)
  const cluster = ref && clusters.get({ name: ref.namespace })
  const addon = ref && addons.get(ref)
  if (agent?.registration === undefined || cluster === undefined || addon === undefined) return undefined
  if (!isAccepted(cluster)) return undefined
  return { agent, registration: agent.registration, cluster, addon, request }
}

/**
 * Wakes a controller for changes of certificate requests. Undecided ones are checked again when their add-on appears or changes so that
 * the decision may change, and when their cluster appears or is accepted.
 */
export function requestWakes(
  { addons, clusters }: AddonManagerContext,
  requests: Informer<CertificateSigningRequest>,
  isOpen: (request: CertificateSigningRequest) => boolean,
): Wake[] {
  const openOf = (namespace: string, name: string) =>
    requests.byIndex(BY_ADDON, `${namespace}/${name}`).filter(isOpen).map(refOfObject)
  return [
    each(requests),
    each(addons, ({ metadata: { namespace = '', name } }) => openOf(namespace, name), { when: decisionMayChange }),
    each(
      clusters,
      ({ metadata }) => addons.list(metadata.name).flatMap((addon) => openOf(metadata.name, addon.metadata.name)),
      { when: anyOf<ManagedCluster>(({ type }) => type === 'added', acceptanceChanged) },
    ),
  ]
}

/** Conditions change often, and the agent of a cluster can have any number of open requests. */
const decisionMayChange: Predicate<ManagedClusterAddOn> = ({ before, after }) =>
  before === undefined || after === undefined || !jsonEqual(deciding(before), deciding(after))

function deciding({ metadata: { uid, labels, annotations }, spec, status }: ManagedClusterAddOn) {
  const { configReferences, registrations, namespace } = status ?? {}
  return { uid, labels, annotations, spec, configReferences, registrations, namespace }
}
