package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// kindChecks writes rich objects as protobuf and reads them back both ways: what one encoding holds, the other must.
func kindChecks(s *suite) {
	objects := richObjects()
	for _, object := range objects {
		gvk, err := apiutil.GVKForObject(object, scheme.Scheme)
		if err != nil {
			panic(err)
		}
		s.check(fmt.Sprintf("%s in protobuf and in JSON", gvk.Kind), func(ctx context.Context) error {
			return s.roundTrip(ctx, object)
		})
	}
}

func (s *suite) roundTrip(ctx context.Context, object client.Object) error {
	binary, err := client.New(onlyProtobuf(s.config), client.Options{})
	if err != nil {
		return err
	}
	config := rest.CopyConfig(s.config)
	config.ContentType, config.AcceptContentTypes = "application/json", "application/json"
	text, err := client.New(config, client.Options{})
	if err != nil {
		return err
	}
	namespaced, err := binary.IsObjectNamespaced(object)
	if err != nil {
		return err
	}
	object.SetName("rich-" + s.namespace)
	if namespaced {
		object.SetNamespace(s.namespace)
	}
	sent := object.DeepCopyObject().(client.Object)
	if err := binary.Create(ctx, object); err != nil {
		return err
	}
	key := client.ObjectKeyFromObject(object)
	fromBinary, fromText := empty(object), empty(object)
	if err := eventually(ctx, "two reads of one version", func(ctx context.Context) (bool, error) {
		err := all(binary.Get(ctx, key, fromBinary), text.Get(ctx, key, fromText))
		return fromBinary.GetResourceVersion() == fromText.GetResourceVersion(), err
	}); err != nil {
		return err
	}
	return all(
		same("protobuf read against JSON read", fromBinary, fromText),
		kept(sent, object),
		kept(sent, fromText),
		retry.RetryOnConflict(retry.DefaultRetry, func() error {
			return all(binary.Get(ctx, key, fromBinary), binary.Update(ctx, fromBinary))
		}),
		binary.Delete(ctx, object),
	)
}

func empty(object client.Object) client.Object {
	made, err := scheme.Scheme.New(must(apiutil.GVKForObject(object, scheme.Scheme)))
	if err != nil {
		panic(err)
	}
	return made.(client.Object)
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func same(what string, a, b runtime.Object) error {
	a, b = a.DeepCopyObject(), b.DeepCopyObject()
	clearKind(a)
	clearKind(b)
	return holds(apiequality.Semantic.DeepEqual(a, b), "%s differ:\n%s\n%s", what, show(a), show(b))
}

func clearKind(object runtime.Object) {
	must(meta.TypeAccessor(object)).SetKind("")
	must(meta.TypeAccessor(object)).SetAPIVersion("")
}

// kept fails when a field that was sent is not there as it was sent (fields and items the server adds are fine).
func kept(sent, got client.Object) error {
	var before, after map[string]any
	if err := all(json.Unmarshal([]byte(show(sent)), &before), json.Unmarshal([]byte(show(got)), &after)); err != nil {
		return err
	}
	delete(before, "status")
	if lost := missing("", before, after); len(lost) > 0 {
		return fmt.Errorf("lost or changed: %s", strings.Join(lost, ", "))
	}
	return nil
}

// missing lists the paths at which the second value does not hold what the first does.
func missing(path string, want, got any) []string {
	switch want := want.(type) {
	case map[string]any:
		object, _ := got.(map[string]any)
		var lost []string
		for key, value := range want {
			lost = append(lost, missing(path+"."+key, value, object[key])...)
		}
		return lost
	case []any:
		list, _ := got.([]any)
		if len(list) < len(want) {
			return []string{path}
		}
		var lost []string
		for i, value := range want {
			lost = append(lost, missing(fmt.Sprintf("%s[%d]", path, i), value, list[i])...)
		}
		return lost
	default:
		if want != got {
			return []string{fmt.Sprintf("%s: %v became %v", path, want, got)}
		}
		return nil
	}
}

func podTemplate() corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "rich"}},
		Spec: corev1.PodSpec{
			ServiceAccountName: "default",
			Containers: []corev1.Container{{
				Name: "main", Image: "example.com/app:1", Command: []string{"run"}, Args: []string{"-v", ""},
				Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}, {Name: "dns", ContainerPort: 53, Protocol: corev1.ProtocolUDP}},
				Env: []corev1.EnvVar{
					{Name: "A", Value: "1"},
					{Name: "NODE", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "spec.nodeName"}}},
					{Name: "CPU", ValueFrom: &corev1.EnvVarSource{ResourceFieldRef: &corev1.ResourceFieldSelector{Resource: "limits.cpu", Divisor: resource.MustParse("1m")}}},
				},
				EnvFrom: []corev1.EnvFromSource{{Prefix: "P_", ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "env"}, Optional: ptr.To(true)}}},
				Resources: corev1.ResourceRequirements{
					Requests: corev1.ResourceList{"cpu": resource.MustParse("100m"), "memory": resource.MustParse("64Mi")},
					Limits:   corev1.ResourceList{"cpu": resource.MustParse("1500m"), "memory": resource.MustParse("1Gi")},
				},
				LivenessProbe:  &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/z", Port: intstr.FromString("http"), HTTPHeaders: []corev1.HTTPHeader{{Name: "X", Value: "y"}}}}, PeriodSeconds: 5},
				ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(8080)}}},
				Lifecycle:      &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{Exec: &corev1.ExecAction{Command: []string{"stop"}}}},
				VolumeMounts:   []corev1.VolumeMount{{Name: "config", MountPath: "/etc/config", ReadOnly: true}, {Name: "scratch", MountPath: "/tmp", SubPath: "sub"}},
				SecurityContext: &corev1.SecurityContext{
					RunAsNonRoot: ptr.To(true), RunAsUser: ptr.To(int64(1000)), AllowPrivilegeEscalation: ptr.To(false),
					Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}, Add: []corev1.Capability{"NET_BIND_SERVICE"}},
				},
			}},
			InitContainers: []corev1.Container{{Name: "init", Image: "busybox", RestartPolicy: ptr.To(corev1.ContainerRestartPolicyAlways)}},
			Volumes: []corev1.Volume{
				{Name: "config", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{
					{ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: corev1.LocalObjectReference{Name: "c"}, Items: []corev1.KeyToPath{{Key: "k", Path: "p", Mode: ptr.To(int32(0o400))}}}},
					{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token", ExpirationSeconds: ptr.To(int64(3600))}},
					{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{{Path: "labels", FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.labels"}}}}},
				}}}},
				{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: resource.NewQuantity(1<<30, resource.BinarySI)}}},
			},
			Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{
				{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "zone", Operator: corev1.NodeSelectorOpIn, Values: []string{"a", "b"}}}},
			}}}},
			Tolerations:               []corev1.Toleration{{Key: "k", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: ptr.To(int64(60))}},
			TopologySpreadConstraints: []corev1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: selector()}},
			ImagePullSecrets:          []corev1.LocalObjectReference{{Name: "pull"}},
			HostAliases:               []corev1.HostAlias{{IP: "10.0.0.1", Hostnames: []string{"h"}}},
		},
	}
}

func selector() *metav1.LabelSelector {
	return &metav1.LabelSelector{
		MatchLabels:      map[string]string{"app": "rich"},
		MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "no", Operator: metav1.LabelSelectorOpDoesNotExist}},
	}
}

func richObjects() []client.Object {
	now := metav1.NewMicroTime(time.Unix(1_700_000_000, 123_456_000))
	pod := podTemplate()
	pod.Spec.RestartPolicy = corev1.RestartPolicyNever
	return []client.Object{
		&corev1.Secret{Type: "example.com/t", Data: map[string][]byte{"a": []byte("b"), "empty": {}}, Immutable: ptr.To(true)},
		&corev1.ServiceAccount{ImagePullSecrets: []corev1.LocalObjectReference{{Name: "p"}}, AutomountServiceAccountToken: ptr.To(false)},
		&corev1.Service{Spec: corev1.ServiceSpec{
			Selector: map[string]string{"a": "b"}, Type: corev1.ServiceTypeNodePort, SessionAffinity: corev1.ServiceAffinityClientIP,
			Ports: []corev1.ServicePort{{Name: "http", Port: 80, TargetPort: intstr.FromString("http")}, {Name: "n", Port: 443, TargetPort: intstr.FromInt32(8443), AppProtocol: ptr.To("https")}},
		}},
		&corev1.Pod{ObjectMeta: pod.ObjectMeta, Spec: pod.Spec},
		&corev1.Node{Spec: corev1.NodeSpec{PodCIDR: "10.1.0.0/24", PodCIDRs: []string{"10.1.0.0/24"}, ProviderID: "x://1", Taints: []corev1.Taint{{Key: "k", Value: "v", Effect: corev1.TaintEffectNoSchedule}}}},
		&corev1.PersistentVolume{Spec: corev1.PersistentVolumeSpec{
			Capacity: corev1.ResourceList{"storage": resource.MustParse("5Gi")}, AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: "csi.example.com", VolumeHandle: "h", VolumeAttributes: map[string]string{"a": "b"}}},
			StorageClassName:       "fast", PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
		}},
		&corev1.PersistentVolumeClaim{Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}, StorageClassName: ptr.To(""),
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{"storage": resource.MustParse("1.5Gi")}},
		}},
		&corev1.LimitRange{Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{Type: corev1.LimitTypePersistentVolumeClaim, Max: corev1.ResourceList{"storage": resource.MustParse("10Gi")}}}}},
		&corev1.ResourceQuota{Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"count/widgets.example.com": resource.MustParse("5")}}},
		&corev1.Endpoints{Subsets: []corev1.EndpointSubset{{Addresses: []corev1.EndpointAddress{{IP: "10.9.9.9"}}, Ports: []corev1.EndpointPort{{Port: 1}}}}},
		&corev1.PodTemplate{Template: podTemplate()},
		&corev1.ReplicationController{Spec: corev1.ReplicationControllerSpec{Replicas: ptr.To(int32(0)), Selector: map[string]string{"app": "rich"}, Template: ptr.To(podTemplate())}},
		&appsv1.Deployment{Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To(int32(2)), Selector: selector(), Template: podTemplate(), MinReadySeconds: 3, Paused: true,
			Strategy: appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: &appsv1.RollingUpdateDeployment{MaxUnavailable: ptr.To(intstr.FromString("30%")), MaxSurge: ptr.To(intstr.FromInt32(2))}},
		}},
		&appsv1.StatefulSet{Spec: appsv1.StatefulSetSpec{ServiceName: "s", Selector: selector(), Template: podTemplate(), PodManagementPolicy: appsv1.ParallelPodManagement}},
		&appsv1.DaemonSet{Spec: appsv1.DaemonSetSpec{Selector: selector(), Template: podTemplate()}},
		&appsv1.ReplicaSet{Spec: appsv1.ReplicaSetSpec{Selector: selector(), Template: podTemplate()}},
		&appsv1.ControllerRevision{Revision: 3, Data: runtime.RawExtension{Raw: []byte(`{"a":{"b":[1,2]}}`)}},
		&batchv1.Job{Spec: batchv1.JobSpec{Parallelism: ptr.To(int32(2)), Completions: ptr.To(int32(4)), CompletionMode: ptr.To(batchv1.IndexedCompletion), BackoffLimit: ptr.To(int32(0)), Template: corev1.PodTemplateSpec{Spec: pod.Spec}}},
		&batchv1.CronJob{Spec: batchv1.CronJobSpec{Schedule: "*/5 * * * *", TimeZone: ptr.To("Etc/UTC"), ConcurrencyPolicy: batchv1.ForbidConcurrent, JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: pod.Spec}}}}},
		&autoscalingv2.HorizontalPodAutoscaler{Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "d"}, MinReplicas: ptr.To(int32(2)), MaxReplicas: 9,
			Metrics: []autoscalingv2.MetricSpec{{Type: autoscalingv2.PodsMetricSourceType, Pods: &autoscalingv2.PodsMetricSource{
				Metric: autoscalingv2.MetricIdentifier{Name: "rps", Selector: selector()}, Target: autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: ptr.To(resource.MustParse("100m"))},
			}}},
		}},
		&networkingv1.Ingress{Spec: networkingv1.IngressSpec{IngressClassName: ptr.To("c"), TLS: []networkingv1.IngressTLS{{Hosts: []string{"a.example.com"}, SecretName: "s"}}, Rules: []networkingv1.IngressRule{{
			Host: "a.example.com", IngressRuleValue: networkingv1.IngressRuleValue{HTTP: &networkingv1.HTTPIngressRuleValue{Paths: []networkingv1.HTTPIngressPath{{
				Path: "/x", PathType: ptr.To(networkingv1.PathTypePrefix), Backend: networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{Name: "s", Port: networkingv1.ServiceBackendPort{Number: 80}}},
			}}}},
		}}}},
		&networkingv1.NetworkPolicy{Spec: networkingv1.NetworkPolicySpec{PodSelector: *selector(), PolicyTypes: []networkingv1.PolicyType{"Ingress", "Egress"}, Ingress: []networkingv1.NetworkPolicyIngressRule{{
			From: []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: "10.0.0.0/8", Except: []string{"10.1.0.0/16"}}}}, Ports: []networkingv1.NetworkPolicyPort{{Port: ptr.To(intstr.FromString("http"))}},
		}}}},
		&policyv1.PodDisruptionBudget{Spec: policyv1.PodDisruptionBudgetSpec{MinAvailable: ptr.To(intstr.FromString("50%")), Selector: selector()}},
		&rbacv1.Role{Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}, ResourceNames: []string{"x"}}}},
		&rbacv1.ClusterRole{Rules: []rbacv1.PolicyRule{{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}}}},
		&rbacv1.RoleBinding{RoleRef: rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "view"}, Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: "a", Namespace: "b"}, {Kind: "Group", APIGroup: "rbac.authorization.k8s.io", Name: "g"}}},
		&rbacv1.ClusterRoleBinding{RoleRef: rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "view"}, Subjects: []rbacv1.Subject{{Kind: "User", APIGroup: "rbac.authorization.k8s.io", Name: "u"}}},
		&coordinationv1.Lease{Spec: coordinationv1.LeaseSpec{HolderIdentity: ptr.To("me"), LeaseDurationSeconds: ptr.To(int32(15)), AcquireTime: &now, RenewTime: &now, LeaseTransitions: ptr.To(int32(2))}},
		&discoveryv1.EndpointSlice{AddressType: discoveryv1.AddressTypeIPv4, Ports: []discoveryv1.EndpointPort{{Name: ptr.To("p"), Port: ptr.To(int32(80)), Protocol: ptr.To(corev1.ProtocolTCP)}}, Endpoints: []discoveryv1.Endpoint{{Addresses: []string{"10.2.3.4"}, Conditions: discoveryv1.EndpointConditions{Ready: ptr.To(false)}, Zone: ptr.To("z")}}},
		&schedulingv1.PriorityClass{Value: -5, Description: "low", PreemptionPolicy: ptr.To(corev1.PreemptNever)},
		&storagev1.StorageClass{Provisioner: "p.example.com", Parameters: map[string]string{"a": "b"}, AllowVolumeExpansion: ptr.To(true), VolumeBindingMode: ptr.To(storagev1.VolumeBindingWaitForFirstConsumer)},
		&storagev1.CSIDriver{Spec: storagev1.CSIDriverSpec{AttachRequired: ptr.To(false), TokenRequests: []storagev1.TokenRequest{{Audience: "a", ExpirationSeconds: ptr.To(int64(600))}}}},
		&admissionv1.ValidatingWebhookConfiguration{Webhooks: []admissionv1.ValidatingWebhook{{
			Name: "v.example.com", SideEffects: ptr.To(admissionv1.SideEffectClassNone), AdmissionReviewVersions: []string{"v1"}, FailurePolicy: ptr.To(admissionv1.Ignore),
			ClientConfig: admissionv1.WebhookClientConfig{URL: ptr.To("https://127.0.0.1:1/x")},
			Rules:        []admissionv1.RuleWithOperations{{Operations: []admissionv1.OperationType{admissionv1.Create}, Rule: admissionv1.Rule{APIGroups: []string{"none.example.com"}, APIVersions: []string{"*"}, Resources: []string{"*"}}}},
		}}},
	}
}
