import { type Read, t } from '../schema/index.js'
import { signerName, subjectV1Alpha1 } from './signer.js'

const roleRef = t.object(
  {
    apiGroup: t.string({ description: 'APIGroup is the API group of the role.' }),
    kind: t.string({ description: 'Kind is Role or ClusterRole.' }),
    name: t.string({ description: 'Name is the name of the role.' }),
  },
  { description: 'RoleRef refers to the role to bind.', mapType: 'atomic' },
)

const hubPermission = t.object(
  {
    type: t.enum(['CurrentCluster', 'SingleNamespace'], {
      description:
        'Type is CurrentCluster for permissions in the namespace of the cluster, or SingleNamespace for ' +
        'permissions in one namespace for all clusters.',
    }),
    currentCluster: t.optional(
      t.object(
        { clusterRoleName: t.string({ description: 'ClusterRoleName is the name of the ClusterRole to bind.' }) },
        {
          description:
            'CurrentCluster configures permissions in the namespace of the cluster. It is used if type is ' +
            'CurrentCluster.',
        },
      ),
    ),
    singleNamespace: t.optional(
      t.object(
        { namespace: t.string({ description: 'Namespace is the namespace of the permissions.' }), roleRef },
        {
          description:
            'SingleNamespace configures permissions in one namespace for all clusters. It is used if type is ' +
            'SingleNamespace.',
        },
      ),
    ),
  },
  { description: 'HubPermissions lists the permissions of the agent on the hub.' },
)

const kubeClient = t.object(
  {
    hubPermissions: t.optional(
      t.array(hubPermission, { description: 'HubPermissions lists the permissions of the agent on the hub.' }),
    ),
  },
  { description: 'KubeClient configures credentials for the API server of the hub. It is used if type is KubeClient.' },
)

const customSigner = t.object(
  {
    signerName,
    subject: t.optional(subjectV1Alpha1),
    signingCA: t.object(
      {
        namespace: t.optional(
          t.string({
            description: 'Namespace is the namespace of the Secret. Defaults to the namespace of the hub controllers.',
          }),
        ),
        name: t.string({ description: 'Name is the name of the Secret.' }),
      },
      { description: 'SigningCA refers to the Secret with the CA certificate and private key.' },
    ),
  },
  { description: 'CustomSigner configures a certificate of a custom signer. It is used if type is CustomSigner.' },
)

/** The schema of a registration of an AddOnTemplate. */
export const templateRegistration = t.object(
  {
    type: t.enum(['KubeClient', 'CustomSigner'], {
      description:
        'Type is KubeClient for credentials of the API server of the hub, or CustomSigner for a certificate of a ' +
        'custom signer.',
    }),
    kubeClient: t.optional(kubeClient),
    customSigner: t.optional(customSigner),
  },
  { description: 'RegistrationSpec describes credentials of the agent.' },
)

/** A registration of an AddOnTemplate. */
export interface TemplateRegistration extends Read<typeof templateRegistration> {}
/** What an agent may do on the hub. */
export interface HubPermission extends Read<typeof hubPermission> {}
