import { ClusterManagementAddOn, ManagedClusterAddOn } from '@orrery/api'
import type { OwnerReference } from '@orrery/kinds'
import { type ControllerSpec, each, ownerReferenceTo } from '@orrery/kube'
import { annotationsChanged, type Predicate } from '@orrery/kube/controller'
import { semanticEqual, setOwner } from '@orrery/kube/write'
import type { HubContext } from '../context.js'
import type { AddOnInformers } from './addon-informers.js'

/** The reference that an add-on of a cluster has to its definition. The add-on is deleted with it. */
export function definitionReference(definition: ClusterManagementAddOn): OwnerReference {
  return ownerReferenceTo(definition, ClusterManagementAddOn, { controller: true })
}

const ownersChanged: Predicate<ManagedClusterAddOn> = ({ type, before, after }) =>
  type === 'added' || !semanticEqual(before?.metadata.ownerReferences, after?.metadata.ownerReferences)

/** Makes definitions the owners of their add-ons. Controllers of an add-on wait for that reference. */
export function addOnOwner({ client }: HubContext, informers: AddOnInformers): ControllerSpec {
  const { addOns, definitions } = informers
  return {
    name: 'addon-owner',
    concurrency: 10,
    wakes: [
      each(addOns, undefined, { when: ownersChanged }),
      each(definitions, informers.ofDefinition, { when: annotationsChanged }),
    ],
    async reconcile(ref, { signal }) {
      const addOn = addOns.get(ref)
      const definition = informers.managedDefinition(ref.name)
      if (addOn === undefined || definition === undefined) return
      await setOwner(client, ManagedClusterAddOn, addOn, definitionReference(definition), { signal })
    },
  }
}
