import { AGE_COLUMN, type DefinedKind, defineKind, type Read, t } from '@orrery/api/schema'
import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { objectName } from './fields.js'
import { OVIM_GROUP, OVIM_VERSION } from './names.js'

const spec = t.object(
  {
    displayName: t.optional(
      t.string({ description: 'DisplayName is the name that user interfaces show.', maxLength: 253 }),
    ),
    description: t.optional(t.string({ description: 'Description describes the catalog.', maxLength: 4096 })),
    templates: t.optional(
      t.array(objectName('The name of a Template in the same namespace.'), {
        description: 'Templates lists the templates of the catalog.',
        maxItems: 1024,
        listType: 'set',
      }),
    ),
    isEnabled: t.defaulted(
      t.boolean({
        description: 'IsEnabled indicates whether virtual machines can be created from the catalog. Defaults to true.',
      }),
      true,
    ),
    organizations: t.optional(
      t.array(objectName('The name of an Organization.'), {
        description: 'Organizations lists who may use a public catalog. If unset, all organizations.',
        maxItems: 1024,
        listType: 'set',
      }),
    ),
  },
  { description: 'Spec lists the templates of the catalog and who may use them.' },
)

const definition = defineKind({
  group: OVIM_GROUP,
  version: OVIM_VERSION,
  kind: 'Catalog',
  plural: 'catalogs',
  scope: 'Namespaced',
  categories: ['ovim'],
  description:
    'Catalog is a group of templates. It is in the namespace of an organization, or in ovim-system if it is public.',
  fields: { spec },
  columns: [
    { name: 'Display Name', type: 'string', jsonPath: '.spec.displayName' },
    { name: 'Enabled', type: 'boolean', jsonPath: '.spec.isEnabled' },
    AGE_COLUMN,
  ],
})

export interface CatalogSpec extends Read<typeof spec> {}

/** A group of templates. */
export interface Catalog extends ObjectOf<typeof definition> {}
export interface NewCatalog extends DraftOf<typeof definition> {}
export const Catalog: DefinedKind<Catalog, NewCatalog> = definition
