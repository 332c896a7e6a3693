//! Sees who sends, and passes on what it can't read: the body of a request, and nothing else of it.

use std::{net::IpAddr, time::Duration};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::post,
};
use reqwest::{Client, Url, redirect::Policy};

use crate::{Failure, REQUEST, has_type, url};

/// Of an answer, what goes back to the sender.
const KEPT: [header::HeaderName; 2] = [header::CONTENT_TYPE, header::RETRY_AFTER];

#[derive(Clone)]
struct Relay {
    client: Client,
    gateway: Url,
}

/// Returns a relay to one gateway.
pub fn app(gateway: &str, from: Option<&str>) -> Result<Router, Failure> {
    let from: Option<IpAddr> = from
        .map(|address| {
            address.parse().map_err(|_| format!("{address}: not an address to connect from"))
        })
        .transpose()?;
    let client = Client::builder()
        .local_address(from)
        .redirect(Policy::none())
        .timeout(Duration::from_secs(20))
        .build()?;
    let relay = Relay { client, gateway: url(gateway)? };
    Ok(Router::new().route("/", post(pass)).with_state(relay))
}

async fn pass(State(relay): State<Relay>, headers: HeaderMap, body: Bytes) -> Response {
    if !has_type(&headers, REQUEST) {
        return StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response();
    }
    let request = relay.client.post(relay.gateway).header(header::CONTENT_TYPE, REQUEST).body(body);
    let Ok(answer) = request.send().await else {
        return StatusCode::BAD_GATEWAY.into_response();
    };
    let (status, theirs) = (answer.status(), answer.headers().clone());
    let Ok(body) = answer.bytes().await else {
        return StatusCode::BAD_GATEWAY.into_response();
    };
    let kept: HeaderMap = KEPT
        .into_iter()
        .filter_map(|name| Some((name.clone(), theirs.get(name)?.clone())))
        .collect();
    (status, kept, body).into_response()
}
