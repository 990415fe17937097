import {
  type AddonContext,
  agentSubject,
  type CertificateSubject,
  defaultSigner,
  type RegistrationConfig,
  type RegistrationOptions,
  type RegistrationRequest,
  subjectApprover,
} from '@orrery/addon'
import {
  type AddOnTemplate,
  HUB_NAMESPACE,
  KUBE_CLIENT_SIGNER,
  type ManagedCluster,
  type ManagedClusterAddOn,
  type TemplateRegistration,
} from '@orrery/api'
import { Secret } from '@orrery/kinds'
import type { Clock } from '@orrery/kube/clock'

const DAY = 24 * 3_600_000

/** The API server signs for these itself: an agent could get the identity of a node. */
const RESERVED_SIGNERS = 'kubernetes.io/'

type CustomSigner = NonNullable<TemplateRegistration['customSigner']>

/** How the agents of an AddOnTemplate register, but for their permissions. */
export function templateRegistration(
  templateOf: (addon: ManagedClusterAddOn) => AddOnTemplate,
  clock: Clock,
): Required<Pick<RegistrationOptions, 'configurations' | 'approve' | 'sign'>> {
  const configsOf = (cluster: ManagedCluster, addon: ManagedClusterAddOn) =>
    (templateOf(addon).spec.registration ?? []).map((registration) => configOf(registration, cluster, addon))
  const approve = subjectApprover(({ cluster, addon, request }) =>
    subjectFor(request.spec.signerName, configsOf(cluster, addon), cluster, addon),
  )
  return {
    configurations: configsOf,
    approve: (asked, context) => {
      try {
        return approve(asked, context)
      } catch (error) {
        // The template is not known yet. The request is checked again when the add-on changes.
        context.log.debug('the certificate request is not approved', { why: (error as Error).message })
        return false
      }
    },
    sign: (asked, context) => {
      const { signerName } = asked.request.spec
      const signer = (templateOf(asked.addon).spec.registration ?? []).find(
        ({ type, customSigner }) => type === 'CustomSigner' && customSigner?.signerName === signerName,
      )?.customSigner
      return signer === undefined ? Promise.resolve(undefined) : signed(signer, asked, context, clock)
    },
  }
}

function configOf(
  { type, customSigner }: TemplateRegistration,
  cluster: ManagedCluster,
  addon: ManagedClusterAddOn,
): RegistrationConfig {
  const { user, groups } = templateSubject(cluster, addon)
  if (type === 'KubeClient') return { type: 'kubeClient', user, groups }
  if (customSigner === undefined) throw new Error('registration of type CustomSigner: customSigner is not set')
  const { signerName, subject } = customSigner
  if (signerName.startsWith(RESERVED_SIGNERS)) {
    throw new Error(`the signer ${JSON.stringify(signerName)} is reserved: choose a name in a domain of your own`)
  }
  if (subject === undefined) return { type: 'customSigner', signerName, user, groups }
  const { user: own, groups: ownGroups, organizationUnit } = subject
  return {
    type: 'customSigner',
    signerName,
    ...(own !== undefined && { user: own }),
    ...(ownGroups !== undefined && { groups: ownGroups }),
    ...(organizationUnit !== undefined && { organizationUnits: organizationUnit }),
  }
}

/** The agent of a template has another name than the add-on. */
function templateSubject(cluster: ManagedCluster, addon: ManagedClusterAddOn) {
  const { name } = addon.metadata
  return agentSubject(cluster.metadata.name, name, `${name}-agent`)
}

/** The subject that certificates of a signer may have; undefined if the template does not register with it. */
function subjectFor(
  signerName: string,
  configs: readonly RegistrationConfig[],
  cluster: ManagedCluster,
  addon: ManagedClusterAddOn,
): CertificateSubject | undefined {
  const config = configs.find((candidate) =>
    candidate.type === 'kubeClient' ? signerName === KUBE_CLIENT_SIGNER : candidate.signerName === signerName,
  )
  if (config === undefined) return undefined
  const { user = '', groups = [] } = config
  const { name } = addon.metadata
  return {
    // The name that agents request without one.
    user: user === '' ? agentSubject(cluster.metadata.name, name).user : user,
    groups,
    organizationUnits: config.type === 'customSigner' ? (config.organizationUnits ?? []) : [],
  }
}

/** Signs with the certificate authority in a Secret. */
async function signed(
  { signingCA: { namespace = HUB_NAMESPACE, name } }: CustomSigner,
  asked: RegistrationRequest,
  { client, signal }: AddonContext,
  clock: Clock,
): Promise<string> {
  const { data = {} } = await client.get(Secret, { namespace, name }, { signal })
  const [certificate, key] = ['tls.crt', 'tls.key'].map((field) => Buffer.from(data[field] ?? '', 'base64').toString())
  if (!certificate || !key)
    throw new Error(`the Secret ${namespace}/${name} of the signing CA needs tls.crt and tls.key`)
  return defaultSigner(key, certificate, DAY, { clock })(asked)
}
