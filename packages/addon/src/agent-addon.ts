import type {
  FeedbackRule,
  FieldValue,
  ManagedCluster,
  ManagedClusterAddOn,
  NewManifestWorkSpec,
  ResourceIdentifier,
} from '@orrery/api'
import type { CertificateSigningRequest, KubeObject } from '@orrery/kinds'
import type { KubeClient, Logger } from '@orrery/kube'

/** A manifest for the managed cluster: an object of any kind with apiVersion, kind and name. */
export type Manifest = Readonly<KubeObject>

/** What the functions of an add-on get besides the cluster and the add-on. */
export interface AddonContext {
  /** The hub. */
  readonly client: KubeClient
  readonly log: Logger
  /** Aborted when the manager stops. */
  readonly signal: AbortSignal
}

/**
 * An add-on: the manifests of its agent for each managed cluster, and how the agent registers and reports its health. The
 * name is also the name of its ClusterManagementAddOn and of its ManagedClusterAddOns.
 */
export interface AgentAddon {
  readonly name: string
  /**
   * The manifests for one cluster. Called for every change that may concern them: they must depend on the arguments only, in
   * the same order each time.
   */
  manifests(
    cluster: ManagedCluster,
    addon: ManagedClusterAddOn,
    context: AddonContext,
  ): readonly Manifest[] | Promise<readonly Manifest[]>
  /** How the agent gets its identity on the hub. Default: it has none. */
  readonly registration?: RegistrationOptions
  /** How the availability of the add-on is determined. Default: by the add-on's Lease on the managed cluster. */
  readonly healthProber?: HealthProber
  /** The namespace of the agent on the managed cluster. Default `open-cluster-management-agent-addon`. */
  agentInstallNamespace?(addon: ManagedClusterAddOn, context: AddonContext): Promise<string | undefined>
  /** Allows the agent to run on a hosting cluster, and says where. Default: never hosted. */
  readonly hostedMode?: HostedMode
  /** The kinds of configuration that the add-on reads. A change of such an object renders the manifests again. */
  readonly supportedConfigs?: readonly ConfigKind[]
  /** Whether a change of a cluster renders the manifests again. Default: a change of labels or annotations, or a claim. */
  rendersOnClusterChange?(before: ManagedCluster, after: ManagedCluster): boolean
  /** Update strategies and feedback rules for manifests. */
  readonly manifestConfigs?: readonly NewManifestConfig[]
  /** Deploy nothing before the condition Configured is True. Default false. */
  readonly requiresConfiguration?: boolean
  /** How long pre-delete hooks may take before the add-on is deleted without them. Default: without limit. */
  readonly hookTimeoutSeconds?: number
}

/** How objects of a work are applied and reported, as `spec.manifestConfigs` of a work has it. */
export type NewManifestConfig = NonNullable<NewManifestWorkSpec['manifestConfigs']>[number]

/** A kind of configuration object, as `status.supportedConfigs` lists it. */
export interface ConfigKind {
  readonly group: string
  readonly version: string
  readonly resource: string
}

/** Where the agent of an add-on runs: on its managed cluster, or on another one that hosts it. */
export type InstallMode = { readonly mode: 'Default' } | { readonly mode: 'Hosted'; readonly hostingCluster: string }

/** Determines where an agent runs. */
export type HostedMode = (addon: ManagedClusterAddOn, cluster: ManagedCluster) => InstallMode

/** How the agent of an add-on gets its identity on the hub. */
export interface RegistrationOptions {
  /** The identities that the agent needs. Default: none, and nothing of the registration is in the status. */
  configurations?(
    cluster: ManagedCluster,
    addon: ManagedClusterAddOn,
    context: AddonContext,
  ): readonly RegistrationConfig[] | Promise<readonly RegistrationConfig[]>
  /** Whether to approve a certificate request of the agent. Default: none is approved. */
  approve?(request: RegistrationRequest, context: AddonContext): boolean | Promise<boolean>
  /**
   * Grants the permissions of the agent on the hub, for example with `grantRole`. Throws `SubjectNotReady` while
   * `status.registrations` has no subject for it yet. It is called for every change that may concern it: it should write nothing
   * if the permissions exist.
   */
  permissions?(cluster: ManagedCluster, addon: ManagedClusterAddOn, context: AddonContext): Promise<void>
  /**
   * Revokes the permissions of the agent while the hub does not accept its cluster. It is called in addition to what is always done:
   * the RoleBindings in the namespace of the cluster that the add-on owns, and the bindings of `grantClusterRole`, are deleted. Only
   * permissions that are granted in another way need it. `permissions` is called when the cluster is accepted again.
   */
  revoke?(cluster: ManagedCluster, addon: ManagedClusterAddOn, context: AddonContext): Promise<void>
  /** Signs an approved request of a custom signer: the certificate in PEM, or undefined to leave it to others. */
  sign?(request: RegistrationRequest, context: AddonContext): Promise<string | undefined>
}

/** A certificate request of an add-on's agent. */
export interface RegistrationRequest {
  readonly cluster: ManagedCluster
  readonly addon: ManagedClusterAddOn
  readonly request: CertificateSigningRequest
}

/** An identity of an agent: for the API server of the hub, or a certificate of a custom signer. */
export type RegistrationConfig =
  | { readonly type: 'kubeClient'; readonly user?: string; readonly groups?: readonly string[] }
  | {
      readonly type: 'customSigner'
      readonly signerName: string
      readonly user?: string
      readonly groups?: readonly string[]
      readonly organizationUnits?: readonly string[]
    }

/** How the availability of an add-on is determined. Only `Lease` leaves it to the agent of the cluster. */
export type HealthProber =
  /** The add-on writes the condition Available itself. */
  | { readonly type: 'None' }
  | { readonly type: 'Lease' }
  /** Available if the works are applied and `probe`, if there is one, finds no problem. */
  | { readonly type: 'Work'; readonly probe?: WorkProbe }
  /** Available if all Deployments of the manifests have a ready replica. */
  | { readonly type: 'DeploymentAvailability' }
  /** Available if all Deployments and DaemonSets of the manifests are ready. */
  | { readonly type: 'WorkloadAvailability' }

/** Checks the feedback of the works of an add-on. */
export interface WorkProbe {
  readonly fields: readonly ProbeField[]
  /** Throws an error with the reason why the add-on is not available. */
  check(results: readonly FieldResult[], cluster: ManagedCluster, addon: ManagedClusterAddOn): void
}

/** Feedback to request for an object. `*` in the name or namespace matches any text. */
export interface ProbeField {
  readonly resource: ResourceIdentifier
  readonly rules: readonly FeedbackRule[]
}

/** The feedback of one object, by name. A value that the object does not have is missing. */
export interface FieldResult {
  readonly resource: ResourceIdentifier
  readonly values: Readonly<Record<string, FieldValue>>
}
