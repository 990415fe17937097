import type { ControllerSpec } from '@orrery/kube'
import type { HubContext } from '../context.js'
import { PlacementDecisions } from '../placement/index.js'
import { AddOnInformers } from './addon-informers.js'
import { addOnAnnotationSync } from './annotations.js'
import { unreachableAddOns } from './availability.js'
import { addOnConfiguration } from './configuration/controller.js'
import { featureLabels } from './feature-labels.js'
import { addOnInstallation } from './installation.js'
import { addOnOwner } from './owner.js'
import { addOnProgressing } from './progressing.js'
import { addonTemplateControllers } from './template/index.js'
import { tokenInfrastructure } from './token-infrastructure.js'

/**
 * The part for add-ons. The gate AddonManagement is for what Open Cluster Management's addon-manager does; its registration controller
 * reports the availability of add-ons in any case.
 */
export function addonControllers(context: HubContext): ControllerSpec[] {
  const always = [unreachableAddOns(context), featureLabels(context)]
  return context.features.AddonManagement ? [...always, ...managementControllers(context)] : always
}

function managementControllers(context: HubContext): ControllerSpec[] {
  const informers = new AddOnInformers(context.informers)
  const decisions = new PlacementDecisions(context.informers)
  return [
    addOnOwner(context, informers),
    addOnInstallation(context, informers, decisions),
    addOnAnnotationSync(context, informers),
    addOnConfiguration(context, informers, decisions),
    addOnProgressing(context, informers),
    tokenInfrastructure(context),
    ...addonTemplateControllers(context),
  ]
}
