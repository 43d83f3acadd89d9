module trident-client

go 1.26.0
