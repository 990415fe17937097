import { type Read, t } from '../schema/index.js'
import { signerName, subjectV1Alpha1 } from './signer.js'

const roleRef = t.object(
  {
    apiGroup: t.string({ description: 'The API group of the role.' }),
    kind: t.string({ description: 'Role or ClusterRole.' }),
    name: t.string({ description: 'The name of the role.' }),
  },
  { description: 'The role whose rules hold there.', mapType: 'atomic' },
)

const hubPermission = t.object(
  {
    type: t.enum(['CurrentCluster', 'SingleNamespace'], {
      description: 'Whether it is for the namespace of the cluster, or for one that is the same for all clusters.',
    }),
    currentCluster: t.optional(
      t.object(
        { clusterRoleName: t.string({ description: 'The ClusterRole whose rules hold there.' }) },
        { description: 'For CurrentCluster.' },
      ),
    ),
    singleNamespace: t.optional(
      t.object(
        { namespace: t.string({ description: 'The namespace.' }), roleRef },
        { description: 'For SingleNamespace.' },
      ),
    ),
  },
  { description: 'What the agent may do on the hub.' },
)

const kubeClient = t.object(
  { hubPermissions: t.optional(t.array(hubPermission, { description: 'What the agent may do on the hub.' })) },
  { description: 'For KubeClient.' },
)

const customSigner = t.object(
  {
    signerName,
    subject: t.optional(subjectV1Alpha1),
    signingCA: t.object(
      {
        namespace: t.optional(t.string({ description: 'Its namespace. Left out, that of the controllers.' })),
        name: t.string({ description: 'Its name.' }),
      },
      { description: 'The Secret with the certificate and the key that certificates are signed with.' },
    ),
  },
  { description: 'For CustomSigner.' },
)

/** The schema of an identity that the agent of a template gets. */
export const templateRegistration = t.object(
  {
    type: t.enum(['KubeClient', 'CustomSigner'], {
      description: 'Whether the identity is for the API server of the hub, or for something else.',
    }),
    kubeClient: t.optional(kubeClient),
    customSigner: t.optional(customSigner),
  },
  { description: 'An identity that the agent of the add-on gets.' },
)

/** An identity that the agent of a template gets. */
export interface TemplateRegistration extends Read<typeof templateRegistration> {}
/** What an agent may do on the hub. */
export interface HubPermission extends Read<typeof hubPermission> {}
