//! Posts a body to one address, without TLS, and returns the whole answer.

use std::{net::IpAddr, time::Duration};

use axum::{
    body::{Body, Bytes, to_bytes},
    http::{Request, Response, Uri, header, uri::Scheme},
};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use tokio::time::timeout;

use crate::Failure;

#[derive(Clone)]
pub struct Sender {
    client: Client<HttpConnector, Body>,
    to: Uri,
    wait: Duration,
}

impl Sender {
    /// Returns what posts to an address, from one of this machine if given, and waits so long at most.
    pub fn new(to: &str, from: Option<IpAddr>, wait: Duration) -> Result<Self, Failure> {
        let to = to.parse().ok().filter(|to: &Uri| to.scheme() == Some(&Scheme::HTTP)).ok_or_else(
            || format!("{to}: not an http URL; give one such as http://127.0.0.1:8443/"),
        )?;
        let mut connector = HttpConnector::new();
        connector.set_local_address(from);
        let client = Client::builder(TokioExecutor::new()).build(connector);
        Ok(Self { client, to, wait })
    }

    /// Returns the answer, whatever its status, or nothing where none came.
    pub async fn post(&self, kind: &str, body: impl Into<Body>) -> Option<Response<Bytes>> {
        let request = Request::post(self.to.clone())
            .header(header::CONTENT_TYPE, kind)
            .body(body.into())
            .ok()?;
        let answered = async {
            let (head, body) = self.client.request(request).await.ok()?.into_parts();
            Some(Response::from_parts(head, to_bytes(Body::new(body), usize::MAX).await.ok()?))
        };
        timeout(self.wait, answered).await.ok()?
    }
}
