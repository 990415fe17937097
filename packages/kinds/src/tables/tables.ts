import { admission } from './groups/admission.generated.js'
import { admissionregistration } from './groups/admissionregistration.generated.js'
import { apiextensions } from './groups/apiextensions.generated.js'
import { apiregistration } from './groups/apiregistration.generated.js'
import { apps } from './groups/apps.generated.js'
import { authentication } from './groups/authentication.generated.js'
import { authorization } from './groups/authorization.generated.js'
import { autoscaling } from './groups/autoscaling.generated.js'
import { autoscalingv1 } from './groups/autoscalingv1.generated.js'
import { batch } from './groups/batch.generated.js'
import { certificates } from './groups/certificates.generated.js'
import { coordination } from './groups/coordination.generated.js'
import { core } from './groups/core.generated.js'
import { discovery } from './groups/discovery.generated.js'
import { events } from './groups/events.generated.js'
import { flowcontrol } from './groups/flowcontrol.generated.js'
import { meta } from './groups/meta.generated.js'
import { networking } from './groups/networking.generated.js'
import { node } from './groups/node.generated.js'
import { policy } from './groups/policy.generated.js'
import { rbac } from './groups/rbac.generated.js'
import { resource } from './groups/resource.generated.js'
import { scheduling } from './groups/scheduling.generated.js'
import { storage } from './groups/storage.generated.js'
import type { KindTable } from './table.js'

/** Every table, by name. */
export const tables: readonly KindTable[] = [
  admission,
  admissionregistration,
  apiextensions,
  apiregistration,
  apps,
  authentication,
  authorization,
  autoscaling,
  autoscalingv1,
  batch,
  certificates,
  coordination,
  core,
  discovery,
  events,
  flowcontrol,
  meta,
  networking,
  node,
  policy,
  rbac,
  resource,
  scheduling,
  storage,
]
