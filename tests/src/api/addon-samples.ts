/** Add-ons in both versions, as users, hubs and agents write them. */
export const ADDON_SAMPLES = `
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ManagedClusterAddOn
metadata: { name: helloworld, namespace: default }
spec: { installNamespace: default }
status:
  registrations:
    - signerName: kubernetes.io/kube-apiserver-client
      subject:
        groups:
          - system:open-cluster-management:cluster:cluster1:addon:helloworld
          - system:open-cluster-management:addon:helloworld
          - system:authenticated
        user: system:open-cluster-management:cluster:cluster1:addon:helloworld:agent:8fmr7
  kubeClientDriver: csr
  conditions:
    - type: Available
      status: "True"
      reason: ManagedClusterAddOnLeaseUpdated
      message: helloworld add-on is available.
      lastTransitionTime: "2021-07-09T02:52:49Z"
  addOnConfiguration: { crdName: helloworlds.example.com, crName: usual, lastObservedGeneration: 2 }
---
apiVersion: addon.open-cluster-management.io/v1beta1
kind: ManagedClusterAddOn
metadata: { name: basic-addon, namespace: default }
spec:
  configs:
    - { group: addon.open-cluster-management.io, resource: addondeploymentconfigs, namespace: default, name: usual }
    - { group: "", resource: configmaps, name: images }
status:
  conditions:
    - type: PodCountHealthy
      status: "True"
      reason: PodCountWithinLimit
      message: Cluster has 42 pods
      lastTransitionTime: "2026-01-31T12:00:00Z"
  namespace: open-cluster-management-agent-addon
  healthCheck: { mode: Customized }
  addOnMeta: { displayName: Basic, description: Reports on pods. }
  relatedObjects:
    - { group: addon.open-cluster-management.io, resource: clustermanagementaddons, name: basic-addon }
  supportedConfigs:
    - { group: addon.open-cluster-management.io, resource: addondeploymentconfigs }
  configReferences:
    - group: addon.open-cluster-management.io
      resource: addondeploymentconfigs
      lastObservedGeneration: 1
      desiredConfig: { namespace: default, name: usual, specHash: 4bb2 }
      lastAppliedConfig: { namespace: default, name: usual, specHash: 1f3a }
  registrations:
    - type: kubeClient
      kubeClient:
        subject: { user: "system:serviceaccount:default:basic-addon-agent" }
        driver: token
    - type: customSigner
      customSigner:
        signerName: example.com/signer
        subject: { user: basic, groups: [agents], organizationUnits: [unit] }
---
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ClusterManagementAddOn
metadata:
  name: helloworld
  annotations: { addon.open-cluster-management.io/lifecycle: addon-manager }
spec:
  addOnMeta: { displayName: helloworld }
  addOnConfiguration: { crdName: helloworlds.example.com }
  supportedConfigs:
    - { group: addon.open-cluster-management.io, resource: addondeploymentconfigs }
  installStrategy:
    type: Placements
    placements:
      - namespace: default
        name: global
        configs:
          - group: addon.open-cluster-management.io
            resource: addondeploymentconfigs
            namespace: default
            name: usual
status:
  defaultconfigReferences:
    - group: addon.open-cluster-management.io
      resource: addondeploymentconfigs
      desiredConfig: { namespace: default, name: usual, specHash: 4bb2 }
---
apiVersion: addon.open-cluster-management.io/v1beta1
kind: ClusterManagementAddOn
metadata: { name: basic-addon }
spec:
  defaultConfigs:
    - { group: addon.open-cluster-management.io, resource: addontemplates, name: basic }
    - { group: addon.open-cluster-management.io, resource: addondeploymentconfigs, name: __reserved_no_default__ }
status:
  defaultConfigReferences:
    - { group: addon.open-cluster-management.io, resource: addontemplates, desiredConfig: { name: basic } }
  installProgressions:
    - namespace: default
      name: global
      configReferences:
        - group: addon.open-cluster-management.io
          resource: addontemplates
          desiredConfig: { name: basic, specHash: b }
          lastAppliedConfig: { name: basic, specHash: b }
          lastKnownGoodConfig: { name: basic, specHash: a }
      conditions:
        - type: Progressing
          status: "False"
          reason: Completed
          message: 1/1 completed with no errors.
          lastTransitionTime: "2026-01-31T12:00:00Z"
---
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: AddOnDeploymentConfig
metadata: { name: usual, namespace: default }
spec:
  agentInstallNamespace: ""
  customizedVariables: [{ name: EMPTY }, { name: _1, value: "1" }]
  proxyConfig: { caBundle: LS0tLS1CRUdJTg==, noProxy: localhost }
---
apiVersion: addon.open-cluster-management.io/v1beta1
kind: AddOnDeploymentConfig
metadata: { name: other, namespace: default }
spec:
  registries: [{ mirror: mirror.example.com }]
  nodePlacement:
    nodeSelector: { kubernetes.io/os: linux }
    tolerations: [{ key: a, operator: Equal, value: b, effect: NoExecute, tolerationSeconds: 60 }]
  resourceRequirements:
    - containerID: statefulsets:db-*:*
      resources:
        limits: { cpu: 2, memory: 1Gi, nvidia.com/gpu: 1 }
        requests: { cpu: 100m }
        claims: [{ name: gpu, request: first }]
---
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: AddOnTemplate
metadata: { name: basic }
spec:
  addonName: basic-addon
  agentSpec:
    workload:
      manifests:
        - apiVersion: v1
          kind: ConfigMap
          metadata: { name: basic, namespace: open-cluster-management-agent-addon }
          data: { cluster: "{{CLUSTER_NAME}}", namespace: "{{INSTALL_NAMESPACE}}" }
  registration:
    - type: KubeClient
      kubeClient:
        hubPermissions: [{ type: CurrentCluster, currentCluster: { clusterRoleName: basic } }]
---
apiVersion: work.open-cluster-management.io/v1
kind: ManifestWork
metadata:
  name: hostedcluster-abc123
  namespace: default
  labels: { hyperfleet.io/cluster-id: abc123, hyperfleet.io/adapter: controlplane }
spec:
  workload:
    manifests:
      - apiVersion: hypershift.openshift.io/v1beta1
        kind: HostedCluster
        metadata: { name: my-cluster, namespace: clusters }
  manifestConfigs:
    - resourceIdentifier:
        group: hypershift.openshift.io
        resource: hostedclusters
        namespace: clusters
        name: my-cluster
      updateStrategy: { type: ServerSideApply }
      feedbackRules:
        - type: JSONPaths
          jsonPaths: [{ name: status, path: .status }]
  deleteOption: { propagationPolicy: Foreground }
status:
  resourceStatus:
    manifests:
      - resourceMeta:
          ordinal: 0
          group: hypershift.openshift.io
          kind: HostedCluster
          name: my-cluster
          namespace: clusters
        statusFeedback:
          values:
            - name: status
              fieldValue: { type: JsonRaw, jsonRaw: '{"conditions":[{"type":"Available","status":"True"}]}' }
        conditions: []
`
