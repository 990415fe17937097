import type { ResourceRef } from '../registry/internal.js'

const core = (resource: string): ResourceRef => ({ group: '', resource })

export const CONFIG_MAPS = core('configmaps')
export const ENDPOINTS = core('endpoints')
export const NAMESPACES = core('namespaces')
export const PODS = core('pods')
export const RESOURCE_QUOTAS = core('resourcequotas')
export const SECRETS = core('secrets')
export const SERVICE_ACCOUNTS = core('serviceaccounts')
export const SERVICES = core('services')
export const API_SERVICES: ResourceRef = { group: 'apiregistration.k8s.io', resource: 'apiservices' }
export const CLUSTER_ROLES: ResourceRef = { group: 'rbac.authorization.k8s.io', resource: 'clusterroles' }
export const CRDS: ResourceRef = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' }
export const CSRS: ResourceRef = { group: 'certificates.k8s.io', resource: 'certificatesigningrequests' }
export const ENDPOINT_SLICES: ResourceRef = { group: 'discovery.k8s.io', resource: 'endpointslices' }
export const PRIORITY_CLASSES: ResourceRef = { group: 'scheduling.k8s.io', resource: 'priorityclasses' }
