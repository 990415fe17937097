import { ADDON_NAME_LABEL, CLUSTER_NAME_LABEL, type ManagedClusterAddOn, ManifestWork } from '@orrery/api'
import { CertificateSigningRequest } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { itemsIfAllowed } from '../served-items.js'
import { type AddOnOverview, failingCondition, problemOf } from './add-ons.js'
import { type CrashedContainer, problemsOf, shortText } from './work-problems.js'

/** What is wrong with an add-on on a cluster, or with its controller on the hub. */
export interface AddOnProblem {
  readonly cluster: string
  readonly addOn: string
  /** What it is about: a condition, a manifest or a workload. The message about it can change while the problem lasts. */
  readonly about: string
  /** The problem, and how to solve it if that is known. */
  readonly message: string
  /** The reason of the condition that shows it; undefined if there is none. */
  readonly reason: string | undefined
  /** The logs that show more; undefined if there are none. */
  readonly logs: CrashedContainer | undefined
}

/** Whether a problem is a failure, and not the state of an add-on that is being installed. */
export function isLasting({ about, reason }: AddOnProblem): boolean {
  return about === 'Degraded' || reason?.endsWith('Failed') === true
}

/**
 * The problems of add-ons on clusters: their conditions, their works, in whose status the agents of the clusters report crashes of
 * pods, and certificate requests that are not approved.
 */
export async function addOnProblems(
  client: KubeClient,
  overviews: readonly AddOnOverview[],
  call: CallOptions = {},
): Promise<AddOnProblem[]> {
  const found = await Promise.all(overviews.map(({ addOn }) => problemsOn(client, addOn, call)))
  return found.flat()
}

async function problemsOn(client: KubeClient, addOn: ManagedClusterAddOn, call: CallOptions): Promise<AddOnProblem[]> {
  const { namespace, name } = addOn.metadata
  const ofAddOn = `${ADDON_NAME_LABEL}=${name}`
  const works = await itemsIfAllowed(client, ManifestWork, { ...call, namespace, labelSelector: ofAddOn })
  const problems = problemsWithWorks(addOn, works)
  if (problems.length === 0) return []
  const labelSelector = `${ofAddOn},${CLUSTER_NAME_LABEL}=${namespace}`
  const requests = await itemsIfAllowed(client, CertificateSigningRequest, { ...call, labelSelector })
  return [...problems, ...requests.filter(isPending).map((request) => pendingProblem(addOn, request))]
}

/** The problems that the status of an add-on and of its works show. */
export function problemsWithWorks(addOn: ManagedClusterAddOn, works: readonly ManifestWork[]): AddOnProblem[] {
  const { namespace: cluster, name } = addOn.metadata
  const message = problemOf(addOn)
  const condition = failingCondition(addOn)
  const own: AddOnProblem[] =
    message === undefined
      ? []
      : [{ cluster, addOn: name, about: condition?.type ?? '', message, reason: condition?.reason, logs: undefined }]
  return [
    ...own,
    ...works.flatMap((work) =>
      problemsOf(work).map((problem) => ({
        cluster,
        addOn: name,
        about: problem.manifest ?? work.metadata.name,
        message: shortText(problem),
        reason: problem.reason,
        logs: problem.logs,
      })),
    ),
  ]
}

function isPending({ status }: CertificateSigningRequest): boolean {
  return status?.certificate === undefined && (status?.conditions ?? []).length === 0
}

function pendingProblem({ metadata }: ManagedClusterAddOn, request: CertificateSigningRequest): AddOnProblem {
  const { name } = request.metadata
  return {
    cluster: metadata.namespace,
    addOn: metadata.name,
    about: `CertificateSigningRequest ${name}`,
    message:
      `the certificate request ${name} is pending: the controller of the add-on approves requests if registration.approve allows ` +
      `it; to approve it yourself, run \`kubectl certificate approve ${name}\` on the hub`,
    reason: undefined,
    logs: undefined,
  }
}
