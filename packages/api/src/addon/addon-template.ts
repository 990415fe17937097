import type { DraftOf, ObjectOf } from '@orrery/kube'
import { type DefinedKind, defineKind, type New, type Read, t } from '../schema/index.js'
import { manifestWorkSpec } from '../work/manifest-work.js'
import { ADDON_GROUP } from './names.js'
import { templateRegistration } from './template-registration.js'

const spec = t.object(
  {
    addonName: t.string({ description: 'The name of the add-on.' }),
    agentSpec: t.described(
      manifestWorkSpec,
      'What a cluster with the add-on is to have. Variables such as `{{CLUSTER_NAME}}` are replaced.',
    ),
    registration: t.optional(
      t.array(templateRegistration, { description: 'The identities that the agent of the add-on gets.' }),
    ),
  },
  { description: 'What the add-on is made of.' },
)

const definition = defineKind({
  group: ADDON_GROUP,
  version: 'v1alpha1',
  kind: 'AddOnTemplate',
  plural: 'addontemplates',
  scope: 'Cluster',
  description: 'An add-on that needs no program on the hub: its objects, and what its agent may do on the hub.',
  fields: { spec },
  columns: [{ name: 'ADDON NAME', type: 'string', jsonPath: '.spec.addonName' }],
})

export interface AddOnTemplateSpec extends Read<typeof spec> {}
export interface NewAddOnTemplateSpec extends New<typeof spec> {}

/** An add-on that needs no program on the hub. */
export interface AddOnTemplate extends ObjectOf<typeof definition> {}
export interface NewAddOnTemplate extends DraftOf<typeof definition> {}
export const AddOnTemplate: DefinedKind<AddOnTemplate, NewAddOnTemplate> = definition
