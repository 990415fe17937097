import { AGGREGATE_TO_WORK_LABEL, type ManifestResourceMeta } from '@orrery/api'
import { ClusterRole } from '@orrery/kinds'
import {
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isForbidden,
  isInvalid,
  isMethodNotAllowed,
  isNotFound,
  isTooLarge,
  isUnauthorized,
  StatusError,
} from '@orrery/kinds/values'
import { SealError } from '@orrery/kube/seal'
import { ConnectionError } from '@orrery/kube/transport'
import { lacksNamespace, losesNamespace } from './namespace-loss.js'

/** Returns undefined if it does not handle the error. */
type Adviser = (error: StatusError, meta: ManifestResourceMeta) => string | undefined

/** The verbs that the agent uses on objects of works. */
const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']
const MAX_FIELDS = 5

/** How to fix a manifest that could not be applied. Undefined if there is no advice. */
export function adviceFor(error: unknown, meta: ManifestResourceMeta): string | undefined {
  if (error instanceof SealError) {
    return 'Nothing of it was applied: seal the Secret again, for this cluster (`orrery create work --seal`)'
  }
  if (error instanceof ConnectionError) return 'The agent retries until the API server of the cluster answers'
  if (!(error instanceof StatusError)) return undefined
  for (const adviser of ADVISERS) {
    const advice = adviser(error, meta)
    if (advice !== undefined) return advice
  }
  return undefined
}

/** Admission plugins may reject with any code, so messages are checked before codes. */
const ADVISERS: readonly Adviser[] = [
  guarded,
  quota,
  missingNamespace,
  tooLarge,
  refused,
  missing,
  contended,
  invalid,
  malformed,
  unsupported,
  serverFailure,
]

/** Webhooks and policies of the cluster. */
function guarded({ message }: StatusError, { namespace }: ManifestResourceMeta): string | undefined {
  const denying = /admission webhook ("[^"]+") denied the request/.exec(message)?.[1]
  if (denying !== undefined) {
    return `Change the manifest as webhook ${denying} requires, or change the webhook`
  }
  const silent = /failed calling webhook ("[^"]+")/.exec(message)?.[1]
  if (silent !== undefined) {
    return `Make sure that webhook ${silent} of the cluster answers, or delete its configuration: the agent retries`
  }
  const policy = /ValidatingAdmissionPolicy ('[^']+') with binding/.exec(message)?.[1]
  if (policy !== undefined)
    return `Change the manifest as policy ${policy} of the cluster requires, or change the policy`
  if (!message.includes('violates PodSecurity')) return undefined
  return `Change the pod as the message says, or label namespace ${quoted(namespace)} with a lower pod-security.kubernetes.io/enforce`
}

function quota({ message }: StatusError, { namespace }: ManifestResourceMeta): string | undefined {
  const exceeded = /exceeded quota: ([^,\s]+)/.exec(message)?.[1]
  if (exceeded !== undefined) {
    return `Request less, or raise ResourceQuota ${quoted(exceeded)} in namespace ${quoted(namespace)}: the agent retries`
  }
  const unset = /failed quota: (\S+): must specify (.+)/.exec(message)
  return unset === null ? undefined : `Set ${unset[2]} in the manifest: ResourceQuota ${quoted(unset[1])} requires it`
}

function missingNamespace(error: StatusError, { namespace }: ManifestResourceMeta): string | undefined {
  if (lacksNamespace(error)) return `Add a manifest for namespace ${quoted(namespace)} to the work, or create it first`
  if (!losesNamespace(error)) return undefined
  return `Wait until namespace ${quoted(namespace)} is deleted and create it again, or use another: the agent retries`
}

const TOO_LONG = /Too long: (may not be more than|must have at most) .*bytes|request is too large/

function tooLarge(error: StatusError): string | undefined {
  if (!TOO_LONG.test(error.message) && !isTooLarge(error)) return undefined
  return 'Split it into several objects, or store the large data elsewhere'
}

function refused(error: StatusError, meta: ManifestResourceMeta): string | undefined {
  const { message, status } = error
  if (isUnauthorized(error)) return 'Give the agent credentials that the cluster accepts: the agent retries'
  if (!isForbidden(error)) return undefined
  if (message.includes('attempting to grant RBAC permissions not currently held')) {
    const { resource = '' } = meta
    return `The agent can only grant permissions that it has. ${letAgent(ClusterRole.group, resource, ['escalate', 'bind'])}`
  }
  const account = /error looking up service account ([^\s:]+)/.exec(message)?.[1]
  if (account !== undefined) return `Add a manifest for service account ${account} to the work, or create it first`
  const verb = /User "[^"]*" cannot (\S+) (?:resource|path)/.exec(message)?.[1]
  if (verb === undefined) return 'An admission rule of the cluster forbids it: change the manifest, or the rule'
  const { group = '', kind: resource = '' } = status.details ?? {}
  const isAboutObject = resource === meta.resource && group === (meta.group ?? '')
  return letAgent(group, resource, isAboutObject ? VERBS : [verb])
}

function letAgent(group: string, resource: string, verbs: readonly string[]): string {
  const rule = JSON.stringify({ apiGroups: [group], resources: [resource], verbs })
  return `Grant the agent this permission with a ClusterRole labelled ${AGGREGATE_TO_WORK_LABEL}=true that has the rule ${rule}`
}

function missing(error: StatusError, { kind }: ManifestResourceMeta): string | undefined {
  if (!isNotFound(error)) return undefined
  const { kind: what = '', name = '' } = error.status.details ?? {}
  if (name === '') return `The cluster no longer has the kind ${kind}: install its CustomResourceDefinition`
  return `Add a manifest for ${what} ${quoted(name)} to the work, or create it first`
}

function contended(error: StatusError): string | undefined {
  if (isAlreadyExists(error)) return 'The agent retries: an object of this name may be waiting for its finalizers'
  return isConflict(error) ? 'Others change it at the same time: the agent retries' : undefined
}

const UNCHANGEABLE = /immutable|may not (be )?change|can ?not (be )?change|updates to .* are forbidden/i

function invalid(error: StatusError, { kind }: ManifestResourceMeta): string | undefined {
  if (!isInvalid(error)) return undefined
  if (UNCHANGEABLE.test(error.message)) {
    return `An existing ${kind} cannot be changed in this way: use another name, or delete it first`
  }
  const causes = error.status.details?.causes ?? []
  const fields = [...new Set(causes.map(({ field = '' }) => field))].filter(
    (field) => field !== '' && field !== '<nil>',
  )
  if (fields.length === 0) return 'Correct the manifest'
  const more = fields.length > MAX_FIELDS ? ` and ${fields.length - MAX_FIELDS} more fields` : ''
  return `Correct ${fields.slice(0, MAX_FIELDS).join(', ')}${more} in the manifest`
}

function malformed(error: StatusError, { kind, group = '', version = '' }: ManifestResourceMeta): string | undefined {
  if (!isBadRequest(error)) return undefined
  return `Correct the manifest: it is not a valid ${kind} of ${group === '' ? version : `${group}/${version}`}`
}

function unsupported(error: StatusError, { kind }: ManifestResourceMeta): string | undefined {
  if (!isMethodNotAllowed(error)) return undefined
  return `The cluster does not support this write for a ${kind}: use the update strategy ReadOnly, or remove the manifest`
}

/** Problems of the server, not of the manifest. */
function serverFailure({ code }: StatusError): string | undefined {
  if (code === 507) return 'Free disk space for the API server of the cluster: the agent retries'
  return code === 429 || code >= 500 ? 'The agent retries until the API server of the cluster accepts it' : undefined
}

function quoted(name: string | undefined): string {
  return JSON.stringify(name ?? '')
}
