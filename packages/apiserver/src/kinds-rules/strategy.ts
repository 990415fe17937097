type FieldPath = readonly string[]

const METADATA = ['annotations', 'finalizers', 'labels', 'ownerReferences'] as const
type MetadataField = (typeof METADATA)[number]

/** How the REST storage handles the objects of a resource (`rest.RESTCreateStrategy`, `rest.RESTUpdateStrategy`). */
export interface Strategy {
  /** Whether spec and status are written through different endpoints: each write keeps the other part. */
  readonly hasStatus: boolean
  /** Whether a new object may have a status, as nodes do when they register. */
  readonly keepsStatusOnCreate: boolean
  /** Whether `metadata.generation` starts at 1 and counts changes outside of metadata and status. */
  readonly generation: boolean
  /** Metadata that also counts for the generation. */
  readonly generationCounts: 'spec' | 'annotations' | 'labels'
  /** Whether a PUT of a missing object creates it. */
  readonly allowCreateOnUpdate: boolean
  /** Whether a PUT without a resourceVersion overwrites. */
  readonly allowUnconditionalUpdate: boolean
  /** Whether a deletion waits for a node to stop the containers (pods). */
  readonly gracefulDeletion: boolean
  /** Whether an immediate delete returns the object instead of a `Status`. */
  readonly returnsDeletedObject: boolean
  /** Whether a delete without a propagation policy orphans dependents. */
  readonly orphansByDefault: boolean
  /** Metadata that a write through the status subresource does not change. */
  readonly statusKeeps: readonly MetadataField[]
  /** The warning for a delete without a propagation policy. */
  readonly deletionWarning?: string
  /**
   * Returns the fields that a write through a subresource ('' is the object itself) resets, so that no applier can own
   * them (`GetResetFields`).
   */
  resetFields(subresource: string): readonly FieldPath[]
}

/**
 * One line for each resource: `S` it has a status, `G` a generation, `C` PUT creates, `V` PUT needs a resourceVersion,
 * `D` DELETE returns the object, `O` dependents are orphaned by default. Resources with none of these are not listed.
 */
const FLAGS = `
/namespaces S D
/nodes S
/persistentvolumeclaims S D
/persistentvolumes S D
/pods S G D
/podtemplates G D
/replicationcontrollers S G O
/resourcequotas S D
/serviceaccounts D
/services S C D
/endpoints C
/events C
/limitranges C
admissionregistration.k8s.io/mutatingwebhookconfigurations G V
admissionregistration.k8s.io/validatingwebhookconfigurations G V
apiextensions.k8s.io/customresourcedefinitions S G V
apiregistration.k8s.io/apiservices S V
apps/daemonsets S G
apps/deployments S G
apps/replicasets S G
apps/statefulsets S G
autoscaling/horizontalpodautoscalers S
batch/cronjobs S G
batch/jobs S G O
certificates.k8s.io/certificatesigningrequests S
coordination.k8s.io/leases C V
discovery.k8s.io/endpointslices G
events.k8s.io/events C
flowcontrol.apiserver.k8s.io/flowschemas S G
flowcontrol.apiserver.k8s.io/prioritylevelconfigurations S G
networking.k8s.io/ingressclasses G
networking.k8s.io/ingresses S G
networking.k8s.io/networkpolicies G
networking.k8s.io/servicecidrs S
node.k8s.io/runtimeclasses C V
policy/poddisruptionbudgets S G V
rbac.authorization.k8s.io/clusterrolebindings C
rbac.authorization.k8s.io/clusterroles C
rbac.authorization.k8s.io/rolebindings C
rbac.authorization.k8s.io/roles C
resource.k8s.io/deviceclasses G D
resource.k8s.io/resourceclaims S D
resource.k8s.io/resourceclaimtemplates D
resource.k8s.io/resourceslices G D
scheduling.k8s.io/priorityclasses G
storage.k8s.io/csidrivers V D
storage.k8s.io/csinodes V D
storage.k8s.io/csistoragecapacities V
storage.k8s.io/storageclasses D
storage.k8s.io/volumeattachments S V D
storage.k8s.io/volumeattributesclasses D
`

const DELETION_WARNINGS: ReadonlyMap<string, string> = new Map([
  [
    'batch/jobs',
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  ],
])

const NOTHING: readonly FieldPath[] = []
const STATUS: readonly FieldPath[] = [['status']]
const SPEC: readonly FieldPath[] = [['spec']]

/** The reset fields that differ from the usual ones: the object resets `status`, its status subresource `spec`. */
const RESETS: Readonly<Record<string, Readonly<Record<string, readonly FieldPath[]>>>> = {
  '/namespaces': { finalize: STATUS },
  '/pods': { status: [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']] },
  'apps/deployments': { status: [['spec'], ['metadata', 'labels']] },
  'certificates.k8s.io/certificatesigningrequests': {
    '': [['spec'], ['status']],
    status: [['spec'], ['status', 'conditions']],
    approval: [['spec'], ['status', 'certificate']],
  },
  'apiregistration.k8s.io/apiservices': { status: [['spec'], ['metadata']] },
  'flowcontrol.apiserver.k8s.io/flowschemas': { status: [['spec'], ['metadata']] },
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': { status: [['spec'], ['metadata']] },
  'networking.k8s.io/servicecidrs': { status: [['spec'], ['metadata']] },
  'resource.k8s.io/resourceclaims': { status: [['spec'], ['metadata']] },
  'storage.k8s.io/volumeattachments': { status: [['spec'], ['metadata']] },
}

const strategies: ReadonlyMap<string, Strategy> = new Map(
  FLAGS.trim()
    .split('\n')
    .map((line) => {
      const [resource = '', ...flags] = line.split(' ')
      return [resource, strategy(resource, new Set(flags))]
    }),
)

const PLAIN = strategy('', new Set())

function keptByStatus(resource: string): readonly MetadataField[] {
  // No applier owns the metadata of a definition through its status, but its last finalizer is removed there.
  if (resource === 'apiextensions.k8s.io/customresourcedefinitions') return []
  const reset = (RESETS[resource]?.status ?? []).filter(([part]) => part === 'metadata')
  return METADATA.filter((name) => reset.some(([, field]) => field === undefined || field === name))
}

function strategy(resource: string, flags: ReadonlySet<string>): Strategy {
  const hasStatus = flags.has('S')
  const resets = RESETS[resource] ?? {}
  const deletionWarning = DELETION_WARNINGS.get(resource)
  return {
    ...(deletionWarning !== undefined && { deletionWarning }),
    hasStatus,
    keepsStatusOnCreate: resource === '/nodes',
    generation: flags.has('G'),
    generationCounts:
      resource === 'apps/deployments'
        ? 'annotations'
        : resource === 'discovery.k8s.io/endpointslices'
          ? 'labels'
          : 'spec',
    allowCreateOnUpdate: flags.has('C'),
    allowUnconditionalUpdate: !flags.has('V'),
    statusKeeps: keptByStatus(resource),
    gracefulDeletion: resource === '/pods',
    returnsDeletedObject: flags.has('D'),
    orphansByDefault: flags.has('O'),
    resetFields(subresource) {
      if (Object.hasOwn(resets, subresource)) return resets[subresource] ?? NOTHING
      if (!hasStatus) return NOTHING
      return subresource === 'status' ? SPEC : subresource === '' ? STATUS : NOTHING
    },
  }
}

/** Returns the strategy of a built-in resource by its group and plural name. */
export function strategyOf(group: string, resource: string): Strategy {
  return strategies.get(`${group}/${resource}`) ?? PLAIN
}
