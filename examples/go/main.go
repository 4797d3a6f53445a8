// A small Go server whose objects are protected by svc-authorizer, over OpenID AuthZEN 1.0.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"time"
)

type entity struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

type evaluation struct {
	Subject  entity            `json:"subject"`
	Action   map[string]string `json:"action"`
	Resource entity            `json:"resource"`
}

var client = &http.Client{Timeout: 5 * time.Second}

// allowed asks the decision point. An error is never a permission.
func allowed(ctx context.Context, user, action, resource string) (bool, error) {
	body, err := json.Marshal(evaluation{
		Subject:  entity{"user", user},
		Action:   map[string]string{"name": action},
		Resource: entity{"arn", resource},
	})
	if err != nil {
		return false, err
	}
	url := os.Getenv("AUTHORIZER_URL") + "/access/v1/evaluation"
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("AUTHORIZER_TOKEN"))
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return false, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return false, fmt.Errorf("the authorization service answered %s", response.Status)
	}
	var answer struct {
		Decision bool `json:"decision"`
	}
	err = json.NewDecoder(response.Body).Decode(&answer)
	return err == nil && answer.Decision, err
}

// protect lets a request through only where the user may do the action on the object. Your authentication goes
// where the header is read; this example believes it.
func protect(action string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		user := r.Header.Get("X-User")
		if user == "" {
			http.Error(w, "authentication required", http.StatusUnauthorized)
			return
		}
		resource := "arn:svc:fs:::repository/data/object/" + r.PathValue("name")
		ok, err := allowed(r.Context(), user, action, resource)
		switch {
		case err != nil:
			http.Error(w, "the authorization service does not answer", http.StatusServiceUnavailable)
		case !ok:
			http.Error(w, "not allowed to "+action, http.StatusForbidden)
		default:
			next(w, r)
		}
	}
}

func main() {
	http.HandleFunc("DELETE /objects/{name}", protect("fs:DeleteObject", func(w http.ResponseWriter, r *http.Request) {
		json.NewEncoder(w).Encode(map[string]string{"deleted": r.PathValue("name")})
	}))
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}
