import { ADDON_GROUP, CLUSTER_GROUP, WORK_GROUP } from '@orrery/api'
import type { PolicyRule } from '@orrery/kinds'
import { OVIM_GROUP } from '../../kinds/names.js'
import { CERTIFICATE_SECRET } from '../server/stored-certificate.js'

export const SYSTEM_ADMIN_ROLE = 'ovim:system-admin'
export const ORG_ADMIN_ROLE = 'ovim:org-admin'
export const ORG_USER_ROLE = 'ovim:org-user'
/** What admins of a disabled organization have. */
export const ORG_VIEWER_ROLE = 'ovim:org-viewer'
/** Public catalogs and templates. */
export const CATALOG_READER_ROLE = 'ovim:catalog-reader'

const READ = ['get', 'list', 'watch']
const MANAGE = [...READ, 'create', 'update', 'patch', 'delete', 'deletecollection']
const OWN_KINDS = ['virtualdatacenters', 'catalogs', 'templates', 'virtualmachinerequests']

const READ_EVENTS: PolicyRule = { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: READ }
/** Operations have what agents execute with their own permissions: only the hub creates them. */
const READ_OPERATIONS: PolicyRule = { apiGroups: [OVIM_GROUP], resources: ['operations'], verbs: READ }
const READ_PLACEMENTS: PolicyRule = {
  apiGroups: [CLUSTER_GROUP],
  resources: ['placements', 'placementdecisions', 'managedclustersetbindings'],
  verbs: READ,
}

/** The ClusterRoles of OVIM. RoleBindings in the namespace of an organization grant those of organizations. */
export const ROLES: Readonly<Record<string, readonly PolicyRule[]>> = {
  [SYSTEM_ADMIN_ROLE]: [{ apiGroups: [OVIM_GROUP], resources: ['*'], verbs: ['*'] }, READ_EVENTS, READ_PLACEMENTS],
  [ORG_ADMIN_ROLE]: [
    { apiGroups: [OVIM_GROUP], resources: OWN_KINDS, verbs: MANAGE },
    READ_OPERATIONS,
    READ_EVENTS,
    READ_PLACEMENTS,
    { apiGroups: [CLUSTER_GROUP], resources: ['placements'], verbs: MANAGE },
  ],
  [ORG_USER_ROLE]: [
    { apiGroups: [OVIM_GROUP], resources: OWN_KINDS, verbs: READ },
    { apiGroups: [OVIM_GROUP], resources: ['virtualmachinerequests'], verbs: MANAGE },
    READ_OPERATIONS,
    READ_EVENTS,
    READ_PLACEMENTS,
  ],
  [ORG_VIEWER_ROLE]: [
    { apiGroups: [OVIM_GROUP], resources: OWN_KINDS, verbs: READ },
    READ_OPERATIONS,
    READ_EVENTS,
    READ_PLACEMENTS,
  ],
  [CATALOG_READER_ROLE]: [{ apiGroups: [OVIM_GROUP], resources: ['catalogs', 'templates'], verbs: READ }],
}

/** What members of an organization may read outside its namespace. */
export function memberRules(organization: string): PolicyRule[] {
  return [
    { apiGroups: [OVIM_GROUP], resources: ['organizations'], resourceNames: [organization], verbs: ['get'] },
    { apiGroups: [OVIM_GROUP], resources: ['zones'], verbs: READ },
  ]
}

/** What the add-on needs, which installs agents on clusters and approves their certificates. */
const ADDON_RULES: readonly PolicyRule[] = [
  { apiGroups: [CLUSTER_GROUP], resources: ['managedclusters'], verbs: READ },
  { apiGroups: [WORK_GROUP], resources: ['manifestworks'], verbs: [...READ, 'create', 'update', 'patch', 'delete'] },
  {
    apiGroups: [ADDON_GROUP],
    resources: ['managedclusteraddons', 'clustermanagementaddons'],
    verbs: [...READ, 'create', 'update', 'patch', 'delete'],
  },
  {
    apiGroups: [ADDON_GROUP],
    resources: ['managedclusteraddons', 'clustermanagementaddons'].flatMap((one) => [
      `${one}/finalizers`,
      `${one}/status`,
    ]),
    verbs: ['update', 'patch'],
  },
  { apiGroups: [ADDON_GROUP], resources: ['addondeploymentconfigs'], verbs: READ },
  { apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests'], verbs: READ },
  {
    apiGroups: ['certificates.k8s.io'],
    resources: ['certificatesigningrequests/approval'],
    verbs: ['update', 'patch'],
  },
  {
    apiGroups: ['certificates.k8s.io'],
    resources: ['signers'],
    resourceNames: ['kubernetes.io/kube-apiserver-client'],
    verbs: ['approve'],
  },
]

/** The permissions of the hub service in single namespaces: its serving certificate, and the authority of client certificates. */
export const NAMESPACE_RULES: Readonly<Record<string, readonly PolicyRule[]>> = {
  [CERTIFICATE_SECRET.namespace]: [
    { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
    { apiGroups: [''], resources: ['secrets'], resourceNames: [CERTIFICATE_SECRET.name], verbs: ['get', 'update'] },
  ],
  'kube-system': [
    {
      apiGroups: [''],
      resources: ['configmaps'],
      resourceNames: ['extension-apiserver-authentication'],
      verbs: ['get'],
    },
  ],
}

/** The permissions of the hub service. */
export const SERVICE_RULES: readonly PolicyRule[] = [
  { apiGroups: [OVIM_GROUP], resources: ['*'], verbs: ['*'] },
  { apiGroups: [''], resources: ['namespaces'], verbs: [...READ, 'create', 'patch', 'delete'] },
  {
    apiGroups: ['rbac.authorization.k8s.io'],
    resources: ['rolebindings', 'clusterroles', 'clusterrolebindings'],
    verbs: [...READ, 'create', 'patch', 'delete'],
  },
  {
    apiGroups: ['rbac.authorization.k8s.io'],
    resources: ['clusterroles'],
    resourceNames: [ORG_ADMIN_ROLE, ORG_USER_ROLE, ORG_VIEWER_ROLE, CATALOG_READER_ROLE],
    verbs: ['bind'],
  },
  READ_PLACEMENTS,
  { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: [...READ, 'create', 'patch'] },
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
  ...ADDON_RULES,
]
