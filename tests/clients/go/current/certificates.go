package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/certificate/csr"
	"k8s.io/client-go/util/keyutil"
)

func certificateChecks(s *suite) {
	s.check("a request is approved, signed and used", func(ctx context.Context) error {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return err
		}
		der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: "carol", Organization: []string{"dev"}}}, key)
		if err != nil {
			return err
		}
		request := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der})
		name, uid, err := csr.RequestCertificateWithContext(ctx, s.client, request, s.namespace, certificatesv1.KubeAPIServerClientSignerName, new(time.Hour),
			[]certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, certificatesv1.UsageClientAuth}, key)
		if err != nil {
			return err
		}
		requests := s.client.CertificatesV1().CertificateSigningRequests()
		pending, err := requests.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		pending.Status.Conditions = append(pending.Status.Conditions, certificatesv1.CertificateSigningRequestCondition{
			Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue, Reason: "Test", Message: "approved by a test",
		})
		if _, err := requests.UpdateApproval(ctx, name, pending, metav1.UpdateOptions{}); err != nil {
			return err
		}
		signed, err := csr.WaitForCertificate(ctx, s.client, name, uid)
		if err != nil {
			return err
		}
		private, err := keyutil.MarshalPrivateKeyToPEM(key)
		if err != nil {
			return err
		}
		config := rest.AnonymousClientConfig(s.config)
		config.CertData, config.KeyData = signed, private
		who, err := kubernetes.NewForConfigOrDie(config).AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		block, _ := pem.Decode(signed)
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return err
		}
		return all(
			equal("user", who.Status.UserInfo.Username, "carol"),
			equal("groups", who.Status.UserInfo.Groups, []string{"dev", "system:authenticated"}),
			holds(time.Until(certificate.NotAfter) <= time.Hour, "valid until %s", certificate.NotAfter),
		)
	})
}
