package main

import (
	"context"
	"fmt"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func accessChecks(s *suite) {
	var token string
	user := fmt.Sprintf("system:serviceaccount:%s:robot", s.namespace)
	s.check("a token for a service account", func(ctx context.Context) error {
		account, err := s.client.CoreV1().ServiceAccounts(s.namespace).Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot"}}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		seconds := int64(1200)
		request, err := s.client.CoreV1().ServiceAccounts(s.namespace).CreateToken(ctx, "robot", &authenticationv1.TokenRequest{
			Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds},
		}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		token = request.Status.Token
		review, err := s.client.AuthenticationV1().TokenReviews().Create(ctx, &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token}}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		return all(
			holds(token != "", "no token"),
			holds(review.Status.Authenticated, "review: %s", show(review.Status)),
			equal("user", review.Status.User.Username, user),
			equal("uid", review.Status.User.UID, string(account.UID)),
			equal("groups", review.Status.User.Groups, []string{"system:serviceaccounts", "system:serviceaccounts:" + s.namespace, "system:authenticated"}),
		)
	})
	s.check("roles decide what the token may do", func(ctx context.Context) error {
		robot := s.as(func(config *rest.Config) { config.BearerToken = token })
		_, before := robot.CoreV1().ConfigMaps(s.namespace).List(ctx, metav1.ListOptions{})
		if err := s.grant(ctx, "reader", []string{"configmaps"}, []string{"get", "list"}, rbacv1.Subject{Kind: "ServiceAccount", Name: "robot", Namespace: s.namespace}); err != nil {
			return err
		}
		if err := eventually(ctx, "granted list", func(ctx context.Context) (bool, error) {
			_, err := robot.CoreV1().ConfigMaps(s.namespace).List(ctx, metav1.ListOptions{})
			return err == nil, nil
		}); err != nil {
			return err
		}
		_, create := robot.CoreV1().ConfigMaps(s.namespace).Create(ctx, configMap("x", nil), metav1.CreateOptions{})
		_, elsewhere := robot.CoreV1().ConfigMaps("kube-system").List(ctx, metav1.ListOptions{})
		_, escalation := robot.RbacV1().Roles(s.namespace).Create(ctx, &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "more"}}, metav1.CreateOptions{})
		return all(
			refused(before, apierrors.IsForbidden, "list without a role"),
			equal("message", before.Error(), fmt.Sprintf(`configmaps is forbidden: User %q cannot list resource "configmaps" in API group "" in the namespace %q`, user, s.namespace)),
			refused(create, apierrors.IsForbidden, "create with a reader's role"),
			refused(elsewhere, apierrors.IsForbidden, "list in another namespace"),
			refused(escalation, apierrors.IsForbidden, "create a role"),
		)
	})
	s.check("access reviews agree with what happens", func(ctx context.Context) error {
		ask := func(verb, resource string) (bool, error) {
			review, err := s.client.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
				User: user, Groups: []string{"system:authenticated"},
				ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: s.namespace, Verb: verb, Resource: resource},
			}}, metav1.CreateOptions{})
			if err != nil {
				return false, err
			}
			return review.Status.Allowed, nil
		}
		list, err := ask("list", "configmaps")
		if err != nil {
			return err
		}
		remove, err := ask("delete", "configmaps")
		if err != nil {
			return err
		}
		robot := s.as(func(config *rest.Config) { config.BearerToken = token })
		rules, err := robot.AuthorizationV1().SelfSubjectRulesReviews().Create(ctx, &authorizationv1.SelfSubjectRulesReview{Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: s.namespace}}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		found := false
		for _, rule := range rules.Status.ResourceRules {
			found = found || show(rule.Resources) == `["configmaps"]`
		}
		self, err := robot.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
			ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: s.namespace, Verb: "get", Resource: "configmaps"},
		}}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		who, err := robot.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		return all(holds(list, "may not list"), holds(!remove, "may delete"), holds(found, "rules: %s", show(rules.Status)), holds(self.Status.Allowed, "self review"), equal("who", who.Status.UserInfo.Username, user))
	})
	s.check("impersonation", func(ctx context.Context) error {
		mask := s.as(func(config *rest.Config) {
			config.Impersonate = rest.ImpersonationConfig{UserName: "alice", Groups: []string{"dev"}, Extra: map[string][]string{"Reason/Of": {"a", "b"}}}
		})
		who, err := mask.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		_, denied := mask.CoreV1().Secrets(s.namespace).List(ctx, metav1.ListOptions{})
		robot := s.as(func(config *rest.Config) {
			config.BearerToken = token
			config.Impersonate = rest.ImpersonationConfig{UserName: "admin"}
		})
		_, notAllowed := robot.CoreV1().Secrets(s.namespace).List(ctx, metav1.ListOptions{})
		return all(
			equal("user", who.Status.UserInfo.Username, "alice"),
			equal("groups", who.Status.UserInfo.Groups, []string{"dev", "system:authenticated"}),
			equal("extra", who.Status.UserInfo.Extra, map[string]authenticationv1.ExtraValue{"reason/of": {"a", "b"}}),
			refused(denied, apierrors.IsForbidden, "list as alice"),
			refused(notAllowed, apierrors.IsForbidden, "impersonate without the right"),
		)
	})
	s.check("a deleted account's token stops working", func(ctx context.Context) error {
		if err := s.client.CoreV1().ServiceAccounts(s.namespace).Delete(ctx, "robot", metav1.DeleteOptions{}); err != nil {
			return err
		}
		robot := s.as(func(config *rest.Config) { config.BearerToken = token })
		return eventually(ctx, "unauthorized", func(ctx context.Context) (bool, error) {
			_, err := robot.CoreV1().ConfigMaps(s.namespace).List(ctx, metav1.ListOptions{})
			return apierrors.IsUnauthorized(err), nil
		})
	})
	s.check("eviction respects a disruption budget", s.eviction)
}

// as is a client with only the server's address and authority of the suite's own, and what change adds.
func (s *suite) as(change func(*rest.Config)) kubernetes.Interface {
	config := s.config
	probe := rest.CopyConfig(config)
	change(probe)
	if probe.BearerToken != s.config.BearerToken {
		config = rest.AnonymousClientConfig(config)
	}
	config = protobuf(config)
	change(config)
	return kubernetes.NewForConfigOrDie(config)
}

func (s *suite) grant(ctx context.Context, name string, resources, verbs []string, subject rbacv1.Subject) error {
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: resources, Verbs: verbs}}}
	if _, err := s.client.RbacV1().Roles(s.namespace).Create(ctx, role, metav1.CreateOptions{}); err != nil {
		return err
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name}, Subjects: []rbacv1.Subject{subject},
	}
	_, err := s.client.RbacV1().RoleBindings(s.namespace).Create(ctx, binding, metav1.CreateOptions{})
	return err
}

func (s *suite) eviction(ctx context.Context) error {
	pods := s.client.CoreV1().Pods(s.namespace)
	for _, name := range []string{"free", "guarded"} {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": name}}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
		made, err := pods.Create(ctx, pod, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		made.Status.Phase = corev1.PodRunning
		made.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
		if _, err := pods.UpdateStatus(ctx, made, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	_, err := s.client.PolicyV1().PodDisruptionBudgets(s.namespace).Create(ctx, &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "guard"},
		Spec:       policyv1.PodDisruptionBudgetSpec{MinAvailable: new(intstr.FromInt32(1)), Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "guarded"}}},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	evict := func(name string) error {
		eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: s.namespace}}
		return s.client.CoreV1().RESTClient().Post().Namespace(s.namespace).Resource("pods").Name(name).SubResource("eviction").MaxRetries(0).Body(eviction).Do(ctx).Error()
	}
	if err := evict("free"); err != nil {
		return fmt.Errorf("free: %w", err)
	}
	return refused(evict("guarded"), apierrors.IsTooManyRequests, "evict a guarded pod")
}
