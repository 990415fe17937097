import type { Informer } from '@orrery/kube'
import type { Catalog } from '../../kinds/catalog.js'
import { SYSTEM_NAMESPACE } from '../../kinds/names.js'
import type { Organization } from '../../kinds/organization.js'
import type { Template } from '../../kinds/template.js'
import type { VirtualDataCenter } from '../../kinds/virtual-data-center.js'

interface Use {
  readonly organization: Organization
  readonly catalogs: Informer<Catalog>
  /** The namespaces of the organization on clusters. */
  readonly ownNamespaces: ReadonlySet<string>
  /** The virtual data center of the machine, if it is chosen. */
  readonly vdc?: VirtualDataCenter
}

/** Why an organization may not use a template; undefined if it may. */
export function templateProblem(
  template: Template,
  { organization, catalogs, ownNamespaces, vdc }: Use,
): string | undefined {
  const { name, namespace } = template.metadata
  const what = `template ${JSON.stringify(name)}`
  if (namespace !== SYSTEM_NAMESPACE) {
    const foreign = foreignPart(template, ownNamespaces)
    if (foreign !== undefined) return `${what} cannot be used: ${foreign}`
  }
  const containing = catalogs.list(namespace).filter(({ spec }) => spec.templates?.includes(name) === true)
  // A template of no catalog can be used by everyone who can read it.
  if (containing.length > 0) {
    const usable = containing.filter((catalog) => mayUse(catalog, organization))
    if (usable.length === 0) return `${what} is in no catalog that organization ${organization.metadata.name} may use`
  }
  const allowed = vdc?.spec.catalogRestrictions
  if (vdc === undefined || allowed === undefined) return undefined
  return containing.some(({ metadata }) => allowed.includes(metadata.name))
    ? undefined
    : `${what} is in none of the catalogs that virtual data center ${vdc.metadata.name} allows: ${allowed.join(', ')}`
}

function mayUse({ metadata, spec }: Catalog, organization: Organization): boolean {
  if (!spec.isEnabled) return false
  if (metadata.namespace !== SYSTEM_NAMESPACE) return true
  const { name } = organization.metadata
  const isOffered = spec.organizations === undefined || spec.organizations.includes(name)
  const { catalogs } = organization.spec
  return isOffered && (catalogs === undefined || catalogs.includes(metadata.name))
}

/**
 * Agents have access to all namespaces of their cluster. So a template that a tenant has written must not name a volume or a network of
 * another tenant.
 */
function foreignPart({ spec }: Template, ownNamespaces: ReadonlySet<string>): string | undefined {
  const { pvc } = spec.image
  if (pvc !== undefined && !ownNamespaces.has(pvc.namespace)) {
    return 'spec.image.pvc.namespace must be the namespace of a virtual data center of the organization'
  }
  const network = spec.networks?.find((one) => one.includes('/'))
  return network === undefined
    ? undefined
    : `spec.networks must be names without a namespace, and ${JSON.stringify(network)} has one`
}
